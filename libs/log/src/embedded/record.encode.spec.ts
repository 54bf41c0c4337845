import fc from 'fast-check';
import type { NewRecord } from '../log.port';
import { Arena, joinAdjacent } from './arena';
import { decodeFrame, recordOf, stamp, END_OF_BATCH, END_OF_FLUSH } from './record.codec';
import { BatchEncoder } from './record.encode';

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '€', '😀', '\ud800', '\u0000'),
  maxLength: 30,
});
/** The parts of long texts: some recur in the next record, some do not. */
const part = fc.oneof(
  text,
  fc.constantFrom('a'.repeat(256), `${'b'.repeat(300)}é`, `"${'c'.repeat(255)}`),
  fc.string({ unit: fc.constantFrom('x', 'y'), minLength: 256, maxLength: 260 }),
);
const name = fc.constantFrom('ce_id', 'ce_type', 'ce_time', 'traceparent', 'x');
const record: fc.Arbitrary<NewRecord> = fc.record({
  topic: fc.constant('t'),
  key: text,
  value: fc.oneof(
    text,
    fc.array(part, { maxLength: 4 }),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  ),
  headers: fc.dictionary(name, fc.oneof(fc.constant('same'), text), { maxKeys: 5 }),
});
const batches = fc.array(fc.array(record, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });

const wellFormed = (value: string): string => Buffer.from(value).toString();

/** The content of a record once it has been read back. */
function decodedForm({ key, value, headers }: NewRecord): object {
  const bytes = Array.isArray(value) ? Buffer.concat(value.map((part) => Buffer.from(part))) : Buffer.from(value);
  return { key: wellFormed(key), value: bytes.toString('hex'), headers };
}

function readAll(pieces: Buffer[]) {
  const read: object[] = [];
  const flags: number[] = [];
  for (const bytes of pieces) {
    for (let at = 0; at < bytes.length;) {
      const frame = decodeFrame(bytes, at, 9);
      if (typeof frame !== 'object') throw new Error(frame);
      const { key, value, headers } = recordOf(bytes, frame, 't');
      read.push({ key, value: value.toString('hex'), headers });
      flags.push(frame.flags);
      at = frame.end;
    }
  }
  return { read, flags };
}

describe('consecutive encoded batches', () => {
  it.each([64, 4096])('decode to what was encoded, for any text and form of value (pieces of %i bytes)', (size) => {
    fc.assert(
      fc.property(batches, (all) => {
        const encoder = new BatchEncoder(3, new Arena(size));
        const pieces = joinAdjacent(
          all.map((records) => encoder.encode(records, 1000)),
          1024,
        );
        const next = [0, 0, 0];
        pieces.forEach((bytes, i) => stamp(bytes, next, { marker: 9, flush: 1, last: i === pieces.length - 1 }));
        const { read, flags } = readAll(pieces);
        expect(read).toEqual(all.flat().map(decodedForm));
        const ends: number[] = all.flatMap((records) =>
          records.map((_, i) => (i === records.length - 1 ? END_OF_BATCH : 0)),
        );
        ends[ends.length - 1] = END_OF_BATCH | END_OF_FLUSH;
        expect(flags).toEqual(ends);
      }),
      { numRuns: 2000 },
    );
  });

  it('are joined in memory as long as they fit', () => {
    const arena = new Arena(100);
    const piece = (length: number) => {
      arena.reserve(length);
      return arena.take(length);
    };
    const lengths = joinAdjacent([piece(40), piece(40), piece(40), piece(10)], 1024).map(({ length }) => length);
    expect(lengths).toEqual([80, 50]);
    expect(joinAdjacent([piece(20), piece(20)], 30).map(({ length }) => length)).toEqual([20, 20]);
  });
});
