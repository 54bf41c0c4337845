import fc from 'fast-check';
import type { NewRecord } from '../log.port';
import { LogDamaged } from '../log.faults';
import { decodeFrame, FLAGS_OFFSET, recordOf, stamp } from './record.codec';
import { encodeBatch } from './record.encode';
import { recover, type ByteSource, type Recovered } from './recovery';
import { decodeHeader, encodeHeader, type SegmentHeader } from './segment.header';

const PARTITIONS = 3;
const header: SegmentHeader = {
  format: 1,
  topic: 't',
  number: 1,
  base: [5, 0, 7],
  flush: 41,
  marker: 0x5a17c0de,
  created: 1,
  previous: 0,
};

const record = fc.record({
  topic: fc.constant('t'),
  key: fc.string({ unit: 'binary', maxLength: 12 }),
  value: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  headers: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ unit: 'grapheme', maxLength: 8 }), { maxKeys: 3 }),
});
const batch = fc.array(record, { minLength: 1, maxLength: 3 });
/** Flushes of batches of records. */
const content = fc.array(fc.array(batch, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });

interface Written {
  bytes: Buffer;
  /** Where each batch ends. */
  batchEnds: number[];
  /** Where the last flush begins. */
  lastFlush: number;
}

function write(flushes: NewRecord[][][]): Written {
  const next = [...header.base];
  const parts = [encodeHeader(header)];
  const batchEnds = [parts[0]!.length];
  let lastFlush = 0;
  flushes.forEach((batches, flush) => {
    lastFlush = batchEnds.at(-1)!;
    batches.forEach((records, index) => {
      const bytes = encodeBatch(records, PARTITIONS, 1000);
      stamp(bytes, next, { marker: header.marker, flush: 42 + flush, last: index === batches.length - 1 });
      parts.push(bytes);
      batchEnds.push(batchEnds.at(-1)! + bytes.length);
    });
  });
  return { bytes: Buffer.concat(parts), batchEnds, lastFlush };
}

function sourceOf(bytes: Buffer): ByteSource {
  return {
    name: 'file',
    size: bytes.length,
    read: (at, length) => Promise.resolve(bytes.subarray(at, Math.min(at + length, bytes.length))),
  };
}

const recovered = (bytes: Buffer): Promise<Recovered> => recover(sourceOf(bytes), header, encodeHeader(header).length);

describe('record codec', () => {
  it('decodes what it encoded', () => {
    fc.assert(
      fc.property(batch, (records) => {
        const bytes = encodeBatch(records, PARTITIONS, 123_456_789_012);
        const next = [0, 0, 0];
        stamp(bytes, next, { marker: 9, flush: 2 ** 40, last: true });
        let at = 0;
        const back = records.map(() => {
          const frame = decodeFrame(bytes, at, 9);
          if (typeof frame !== 'object') throw new Error(frame);
          at = frame.end;
          expect(frame.flush).toBe(2 ** 40);
          return recordOf(bytes, frame, 't');
        });
        expect(at).toBe(bytes.length);
        expect(back.map(({ topic, key, value, headers }) => ({ topic, key, value, headers }))).toEqual(
          records.map((one) => ({ ...one, headers: { ...one.headers } })),
        );
        expect(back.every(({ appendedAt }) => appendedAt === 123_456_789_012)).toBe(true);
        expect(next.reduce((sum, n) => sum + n)).toBe(records.length);
      }),
    );
  });

  it('encodes the largest record that a log takes, at any position', () => {
    const headers = { error: '\u0001'.repeat(80 * 1024) };
    const bytes = encodeBatch([{ topic: 't', key: 'k', value: Buffer.alloc(8 * 1024 * 1024), headers }], 1, 0);
    stamp(bytes, [2 ** 40], { marker: 1, flush: 1, last: true });
    expect(decodeFrame(bytes, 0, 1)).toMatchObject({ end: bytes.length, position: 2 ** 40 });
  });

  it('refuses zeros, a foreign marker and an excessive length', () => {
    for (const zeros of [8, 4096]) expect(decodeFrame(Buffer.alloc(zeros), 0, 0)).toBe('broken');
    const bytes = encodeBatch([{ topic: 't', key: 'k', value: Buffer.from('v'), headers: {} }], 1, 0);
    stamp(bytes, [0], { marker: 1, flush: 1, last: true });
    expect(decodeFrame(bytes, 0, 2)).toBe('broken');
    bytes.writeUInt32LE(0xffffffff, 0);
    expect(decodeFrame(bytes, 0, 1)).toBe('broken');
  });
});

describe('segment header', () => {
  it('is refused with any bit flipped, and when it is short', () => {
    const bytes = encodeHeader(header);
    expect(decodeHeader(bytes)).toEqual({ header, end: bytes.length });
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodeHeader(flipped)).toBeUndefined();
    }
    for (let end = 0; end < bytes.length; end += 1) expect(decodeHeader(bytes.subarray(0, end))).toBeUndefined();
  });
});

describe('recovery', () => {
  it('keeps all of an undamaged file', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (flushes) => {
        const { bytes } = write(flushes);
        const { end, next, flush } = await recovered(bytes);
        const records = flushes.flat(2).length;
        expect(end).toBe(bytes.length);
        expect(flush).toBe(41 + flushes.length);
        expect(next.reduce((sum, n) => sum + n) - 12).toBe(records);
      }),
    );
  });

  it('keeps exactly the whole batches before a cut, wherever it is', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.double({ min: 0, max: 1, noNaN: true }), async (flushes, where) => {
        const { bytes, batchEnds } = write(flushes);
        const start = batchEnds[0]!;
        const cut = start + Math.floor(where * (bytes.length - start));
        const { end } = await recovered(bytes.subarray(0, cut));
        expect(end).toBe(batchEnds.findLast((one) => one <= cut));
      }),
    );
  });

  it('keeps the whole batches before a flipped bit in the last flush', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.nat(), fc.nat(7), async (flushes, where, bit) => {
        const { bytes, batchEnds, lastFlush } = write(flushes);
        const at = lastFlush + (where % (bytes.length - lastFlush));
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << bit;
        const { end } = await recovered(flipped);
        expect(end).toBe(batchEnds.findLast((one) => one <= at));
      }),
    );
  });

  it('refuses a flipped bit in an earlier flush, and reports where it is', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.nat(), fc.nat(7), async (flushes, where, bit) => {
        fc.pre(flushes.length > 1);
        const { bytes, batchEnds, lastFlush } = write(flushes);
        const start = batchEnds[0]!;
        const at = start + (where % (lastFlush - start));
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << bit;
        const error: unknown = await recovered(flipped).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(LogDamaged);
        expect(error).toMatchObject({ code: 'log_damaged', file: 'file' });
        expect((error as LogDamaged).offset).toBeLessThanOrEqual(at);
      }),
    );
  });

  it('reads past the kept part of an unfinished flush', async () => {
    const one = (key: string): NewRecord[] => [{ topic: 't', key, value: Buffer.from(key), headers: {} }];
    const next = [...header.base];
    const stamped = (records: NewRecord[], flush: number, last: boolean) => {
      const bytes = encodeBatch(records, PARTITIONS, 0);
      stamp(bytes, next, { marker: header.marker, flush, last });
      return bytes;
    };
    const parts = [encodeHeader(header), stamped(one('a'), 42, false), stamped(one('b'), 43, true)];
    const bytes = Buffer.concat(parts);
    expect(await recovered(bytes)).toMatchObject({ end: bytes.length, flush: 43 });
  });

  it('refuses valid records that are repeated', async () => {
    const { bytes, batchEnds } = write([[[{ topic: 't', key: 'k', value: Buffer.from('v'), headers: {} }]]]);
    const again = Buffer.concat([bytes, bytes.subarray(batchEnds[0])]);
    await expect(recovered(again)).rejects.toMatchObject({ code: 'log_damaged', offset: bytes.length });
  });

  it.each([
    ['a position is skipped', { flush: 42, skip: 1 }, { first: true, last: false }],
    ['a flush is skipped', { flush: 44, skip: 0 }, { first: true, last: true }],
    ['a flush goes on after its end', { flush: 42, skip: 0 }, { first: true, last: true }],
    ['a flush begins within an append', { flush: 43, skip: 0 }, { first: false, last: false }],
  ])('refuses a record that does not follow the previous one: %s', async (_, second, { first, last }) => {
    const next = [...header.base];
    const one = encodeBatch([{ topic: 't', key: 'k', value: 'v', headers: {} }], PARTITIONS, 0);
    const other = Buffer.from(one);
    // Without the end-of-batch flag the append would continue.
    if (!first) one[FLAGS_OFFSET] = 0;
    stamp(one, next, { marker: header.marker, flush: 42, last });
    next.forEach((position, partition) => (next[partition] = position + second.skip));
    stamp(other, next, { marker: header.marker, flush: second.flush, last: true });
    const bytes = Buffer.concat([encodeHeader(header), one, other]);
    const offset = bytes.length - other.length;
    await expect(recovered(bytes)).rejects.toMatchObject({ code: 'log_damaged', offset });
  });

  it('is not misled by a value that looks like a record of a later flush', async () => {
    const forged = encodeBatch([{ topic: 't', key: 'k', value: Buffer.from('v'), headers: {} }], PARTITIONS, 0);
    stamp(forged, [0, 0, 0], { marker: 0x01020304, flush: 99, last: true });
    const { bytes, batchEnds } = write([[[{ topic: 't', key: 'k', value: forged, headers: {} }]]]);
    const { end } = await recovered(bytes.subarray(0, bytes.length - 1));
    expect(end).toBe(batchEnds[0]);
  });
});
