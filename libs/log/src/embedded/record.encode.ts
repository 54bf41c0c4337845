import type { NewRecord, RecordValue } from '../log.port';
import { bytesOf, lengthOf } from './append.rules';
import { Arena } from './arena';
import { partitionOf } from './partition';
import { END_OF_BATCH, FLAGS, HEAD, PREFIX } from './record.codec';
import { HeaderWriter, type HeaderJson } from './record.headers';

/** What there is to write of a record, in the order of the file. */
interface Parts {
  key: string;
  headers: HeaderJson;
  value: RecordValue;
}

/** Bytes of all records if every character took one: if they are ASCII. */
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

/** Where header, value and record end. */
interface Ends {
  headersAt: number;
  valueAt: number;
  end: number;
}

/** Puts key, headers and value behind `at`; undefined where they do not fit or it can not write them. */
interface PartsWriter {
  write(at: number, parts: Parts): Ends | undefined;
}

/** Texts this long are copied from the record before, where it has the same in the same place. */
const LONG = 256;

/** Takes ASCII alone. All texts of a record go in one write: each would cost more by itself than by its length. */
class AsciiWriter implements PartsWriter {
  private readonly before: string[] = [];
  private readonly places: number[] = [];

  constructor(private readonly bytes: Buffer) {}

  write(at: number, { key, headers: { head, tail }, value }: Parts): Ends | undefined {
    const headersAt = at + key.length;
    const valueAt = headersAt + head.length + tail.length;
    const start = key + head + tail;
    const end = Array.isArray(value) ? this.writeAll(start, value, at) : this.writeOne(start, value, at);
    return end === undefined ? undefined : { headersAt, valueAt, end };
  }

  private writeOne(start: string, value: string | Buffer, at: number): number | undefined {
    if (typeof value === 'string') return this.put(start + value, at);
    const end = this.put(start, at);
    return end === undefined ? undefined : end + value.copy(this.bytes, end);
  }

  private writeAll(start: string, value: string[], at: number): number | undefined {
    const { bytes, before, places } = this;
    let text = start;
    let from: number | undefined = at;
    for (let i = 0; i < value.length; i += 1) {
      const part = value[i]!;
      if (part.length < LONG) {
        text += part;
        continue;
      }
      const place: number = from + text.length;
      if (before[i] === part) {
        if (this.put(text, from) === undefined) return undefined;
        bytes.copyWithin(place, places[i]!, places[i]! + part.length);
        from = place + part.length;
        text = '';
      } else text += part;
      before[i] = part;
      places[i] = place;
    }
    return this.put(text, from);
  }

  /** Answers where it ends. */
  private put(text: string, at: number): number | undefined {
    return this.bytes.write(text, at, 'utf8') === text.length ? at + text.length : undefined;
  }
}

/** Takes any text. */
class TextWriter implements PartsWriter {
  constructor(private readonly bytes: Buffer) {}

  write(at: number, { key, headers: { head, tail }, value }: Parts): Ends {
    const headersAt = this.put(key, at);
    const valueAt = this.put(tail, this.put(head, headersAt));
    const parts = Array.isArray(value) ? value : [value];
    return { headersAt, valueAt, end: parts.reduce((end, part) => this.put(part, end), valueAt) };
  }

  private put(part: string | Buffer, at: number): number {
    return at + (typeof part === 'string' ? this.bytes.write(part, at, 'utf8') : part.copy(this.bytes, at));
  }
}

/** More room than ASCII needs: else a text of other characters could be cut to a length that looks right. */
const SLACK = 8;

interface BatchFacts {
  partitions: number;
  /** Milliseconds since the epoch. */
  time: number;
}

/** Answers the bytes written, -1 where a record could not be. */
function writeBatch(bytes: Buffer, all: Parts[], writer: PartsWriter, { partitions, time }: BatchFacts): number {
  let at = 0;
  let last = 0;
  for (const parts of all) {
    const ends = writer.write(at + HEAD, parts);
    if (!ends) return -1;
    const { headersAt, valueAt, end } = ends;
    bytes.writeUInt32LE(end - at - PREFIX, at);
    bytes.writeUIntLE(time, at + 24, 6);
    bytes.writeUInt16LE(partitionOf(parts.key, partitions), at + 30);
    bytes[at + FLAGS] = 0;
    bytes.writeUInt32LE(headersAt - at - HEAD, at + 33);
    bytes.writeUInt32LE(valueAt - headersAt, at + 37);
    last = at;
    at = end;
  }
  bytes[last + FLAGS] = END_OF_BATCH;
  return at;
}

/** Writes append calls of one topic as bytes; what is known only at the flush is filled in by `stamp`. */
export class BatchEncoder {
  private readonly headers = new HeaderWriter();

  constructor(
    private readonly partitions: number,
    private readonly arena: Arena,
  ) {}

  /** One append call. `time` in milliseconds. */
  encode(records: NewRecord[], time: number): Buffer {
    const all = records.map(({ key, headers, value }) => ({ key, headers: this.headers.write(headers), value }));
    const facts = { partitions: this.partitions, time };
    const chars = charsOf(all);
    const room = this.arena.room(chars + SLACK);
    if (writeBatch(room, all, new AsciiWriter(room), facts) === chars) return this.arena.keep(chars);
    const size = bytesOfAll(all);
    const larger = this.arena.room(size);
    writeBatch(larger, all, new TextWriter(larger), facts);
    return this.arena.keep(size);
  }
}

/** An append call whose bytes lie by themselves. */
export function encodeBatch(records: NewRecord[], partitions: number, time: number): Buffer {
  return new BatchEncoder(partitions, new Arena(0)).encode(records, time);
}
