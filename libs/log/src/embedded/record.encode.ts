import type { NewRecord, RecordValue } from '../log.port';
import { bytesOf, lengthOf } from '../log.appends';
import { Arena } from './arena';
import { partitionOf } from './partition';
import { END_OF_BATCH, FLAGS, HEAD, PREFIX } from './record.codec';
import { HeaderWriter, type HeaderJson } from './record.headers';

/** The parts of a record, in the order of the file. */
interface Parts {
  key: string;
  headers: HeaderJson;
  value: RecordValue;
}

/** Bytes of all records if every character took one; they need more only if some characters are not ASCII. */
function charsOf(all: Parts[]): number {
  let chars = 0;
  for (const { key, headers, value } of all) {
    chars += HEAD + key.length + headers.head.length + headers.tail.length + lengthOf(value);
  }
  return chars;
}

function bytesOfAll(all: Parts[]): number {
  let size = 0;
  for (const { key, headers, value } of all) {
    size += HEAD + Buffer.byteLength(key) + Buffer.byteLength(headers.head) + Buffer.byteLength(headers.tail);
    size += bytesOf(value);
  }
  return size;
}

/**
 * Texts of the previous record and where they lie: a text that recurs in the same slot is copied from there, which
 * costs a third of writing it.
 */
class Before {
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

function writeValue(bytes: Buffer, value: RecordValue, at: number, before: Before): number {
  if (typeof value === 'string') return bytes.write(value, at, 'utf8');
  if (Buffer.isBuffer(value)) return value.copy(bytes, at);
  let end = at;
  for (let i = 0; i < value.length; i += 1) end += before.write(i + 1, value[i]!, end);
  return end - at;
}

function writeParts(bytes: Buffer, at: number, parts: Parts, partition: number, time: number, before: Before): number {
  const { key, headers, value } = parts;
  const headersAt = at + HEAD + bytes.write(key, at + HEAD, 'utf8');
  let valueAt = headersAt + before.write(0, headers.head, headersAt);
  valueAt += bytes.write(headers.tail, valueAt, 'utf8');
  const end = valueAt + writeValue(bytes, value, valueAt, before);
  bytes.writeUInt32LE(end - at - PREFIX, at);
  bytes.writeUIntLE(time, at + 24, 6);
  bytes.writeUInt16LE(partition, at + 30);
  bytes[at + FLAGS] = 0;
  bytes.writeUInt32LE(headersAt - at - HEAD, at + 33);
  bytes.writeUInt32LE(valueAt - headersAt, at + 37);
  return end;
}

/** Spare bytes, so that text that is not all ASCII, even when truncated, never ends at exactly the size that ASCII has. */
const SLACK = 8;

function writeBatch(bytes: Buffer, all: Parts[], partitions: number, time: number): number {
  let at = 0;
  let last = 0;
  const before = new Before(bytes);
  for (const parts of all) {
    if (at + HEAD > bytes.length) return -1;
    last = at;
    at = writeParts(bytes, at, parts, partitionOf(parts.key, partitions), time, before);
  }
  bytes[last + FLAGS] = END_OF_BATCH;
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
    const chars = charsOf(all);
    if (writeBatch(this.arena.room(chars + SLACK), all, this.partitions, time) === chars) return this.arena.keep(chars);
    const size = bytesOfAll(all);
    writeBatch(this.arena.room(size), all, this.partitions, time);
    return this.arena.keep(size);
  }
}

/** Encodes one append call into a buffer of its own. */
export function encodeBatch(records: NewRecord[], partitions: number, time: number): Buffer {
  return new BatchEncoder(partitions, new Arena(0)).encode(records, time);
}
