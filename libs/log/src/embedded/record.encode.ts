import type { NewRecord, RecordValue } from '../log.port';
import { bytesOf, lengthOf } from '../log.appends';
import { Arena } from './arena';
import { partitionOf } from './partition';
import { END_OF_BATCH, FLAGS_OFFSET, HEAD_BYTES, PREFIX_BYTES } from './record.codec';
import { HeaderWriter, type HeaderJson } from './record.headers';

/** The parts of a record, in the order of the file. */
interface RecordParts {
  key: string;
  headers: HeaderJson;
  value: RecordValue;
}

/** Bytes of all records if every character took one; they need more only if some characters are not ASCII. */
function charCountOf(all: RecordParts[]): number {
  let chars = 0;
  for (const { key, headers, value } of all) {
    chars += HEAD_BYTES + key.length + headers.head.length + headers.tail.length + lengthOf(value);
  }
  return chars;
}

function byteCountOf(all: RecordParts[]): number {
  let size = 0;
  for (const { key, headers, value } of all) {
    size += HEAD_BYTES + Buffer.byteLength(key) + Buffer.byteLength(headers.head) + Buffer.byteLength(headers.tail);
    size += bytesOf(value);
  }
  return size;
}

/**
 * Texts of the previous record and where they lie: a text that recurs in the same slot is copied from there, which
 * costs a third of writing it.
 */
class PreviousTexts {
  private readonly texts: string[] = [];
  private readonly places: number[] = [];
  private readonly lengths: number[] = [];

  constructor(private readonly bytes: Buffer) {}

  /** Returns the number of bytes written. */
  write(slot: number, text: string, at: number): number {
    const { bytes, texts, places, lengths } = this;
    if (texts[slot] === text) {
      bytes.copyWithin(at, places[slot]!, places[slot]! + lengths[slot]!);
      lengths[slot] = Math.min(lengths[slot]!, bytes.length - at);
    } else {
      texts[slot] = text;
      lengths[slot] = bytes.write(text, at, 'utf8');
    }
    places[slot] = at;
    return lengths[slot];
  }
}

function writeValue(bytes: Buffer, value: RecordValue, at: number, previous: PreviousTexts): number {
  if (typeof value === 'string') return bytes.write(value, at, 'utf8');
  if (Buffer.isBuffer(value)) return value.copy(bytes, at);
  let end = at;
  for (let i = 0; i < value.length; i += 1) end += previous.write(i + 1, value[i]!, end);
  return end - at;
}

function writeParts(
  bytes: Buffer,
  at: number,
  parts: RecordParts,
  partition: number,
  time: number,
  previous: PreviousTexts,
): number {
  const { key, headers, value } = parts;
  const headersAt = at + HEAD_BYTES + bytes.write(key, at + HEAD_BYTES, 'utf8');
  let valueAt = headersAt + previous.write(0, headers.head, headersAt);
  valueAt += bytes.write(headers.tail, valueAt, 'utf8');
  const end = valueAt + writeValue(bytes, value, valueAt, previous);
  bytes.writeUInt32LE(end - at - PREFIX_BYTES, at);
  bytes.writeUIntLE(time, at + 24, 6);
  bytes.writeUInt16LE(partition, at + 30);
  bytes[at + FLAGS_OFFSET] = 0;
  bytes.writeUInt32LE(headersAt - at - HEAD_BYTES, at + 33);
  bytes.writeUInt32LE(valueAt - headersAt, at + 37);
  return end;
}

/** Spare bytes, so that text that is not all ASCII, even when truncated, never ends at exactly the size that ASCII has. */
const SPARE_BYTES = 8;

function writeBatch(bytes: Buffer, all: RecordParts[], partitions: number, time: number): number {
  let at = 0;
  let last = 0;
  const previous = new PreviousTexts(bytes);
  for (const parts of all) {
    if (at + HEAD_BYTES > bytes.length) return -1;
    last = at;
    at = writeParts(bytes, at, parts, partitionOf(parts.key, partitions), time, previous);
  }
  bytes[last + FLAGS_OFFSET] = END_OF_BATCH;
  return at;
}

/** Encodes append calls of one topic; `stamp` fills in what is known only at the flush. */
export class BatchEncoder {
  private readonly headers = new HeaderWriter();

  constructor(
    private readonly partitions: number,
    private readonly arena: Arena,
  ) {}

  /** Encodes one append call. `time` in milliseconds since the epoch. */
  encode(records: NewRecord[], time: number): Buffer {
    const all = records.map(({ key, headers, value }) => ({ key, headers: this.headers.write(headers), value }));
    const chars = charCountOf(all);
    if (writeBatch(this.arena.reserve(chars + SPARE_BYTES), all, this.partitions, time) === chars)
      return this.arena.take(chars);
    const size = byteCountOf(all);
    writeBatch(this.arena.reserve(size), all, this.partitions, time);
    return this.arena.take(size);
  }
}

/** Encodes one append call into a buffer of its own. */
export function encodeBatch(records: NewRecord[], partitions: number, time: number): Buffer {
  return new BatchEncoder(partitions, new Arena(0)).encode(records, time);
}
