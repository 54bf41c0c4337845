import type { RecordLimits } from '../log.batches';
import type { LogRecord } from '../log.port';
import { LogDamaged } from '../log.faults';
import { PREFIX_BYTES, decodeFrame, recordOf, type Frame } from './record.codec';
import { readRange, type Segment } from './segment';
import { placeAt, type Place, type Reader, type TopicLog } from './topic.log';

const CHUNK_BYTES = 512 * 1024;

/** Bytes of a segment from `from` on. Bytes from a file are verified; bytes that never left memory need not be. */
interface Chunk {
  bytes: Buffer;
  from: number;
  verify: boolean;
}

/**
 * Reads a topic from given positions on, in the order of the log. Takes pieces from memory if they are there, else
 * chunks from the file; holds one chunk at most, besides what it hands out.
 */
export class TopicCursor implements Reader {
  private segment: Segment;
  private at: number;
  private expected: number[];
  private chunk: Chunk | undefined;

  /** Records below `from` are skipped. The caller registers the cursor in `topic.readers` while it is in use. */
  constructor(
    private readonly topic: TopicLog,
    private readonly from: number[],
    readonly wake: () => void = () => {},
  ) {
    this.segment = topic.segmentHolding(from);
    const mark = this.segment.markBefore(from);
    this.at = mark.at;
    this.expected = [...mark.next];
  }

  get segmentNumber(): number {
    return this.segment.number;
  }

  get place(): Place {
    return placeAt(this.segment.number, this.at);
  }

  /** The next position of each partition after what was taken. */
  get positions(): number[] {
    return this.expected.map((position, index) => Math.max(position, this.from[index]!));
  }

  /** The next records; none when the end is reached. Rejects with `LogDamaged`, or with the error of the file system. */
  async take({ maxRecords, maxBytes }: RecordLimits): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    let room = maxBytes;
    while (records.length < maxRecords && (this.isLoaded || (await this.loadMore(records)))) {
      const frame = this.currentFrame();
      if (!frame) continue;
      const wanted = frame.position >= this.from[frame.partition]!;
      if (wanted && records.length > 0 && frame.valueBytes > room) break;
      if (wanted) {
        records.push(recordOf(this.chunk!.bytes, frame, this.topic.name));
        room -= frame.valueBytes;
      }
      this.advance(frame);
    }
    return records;
  }

  /** Records that were taken are handed out before a fault is thrown: the cursor is past them already and would skip them. */
  private async loadMore(taken: LogRecord[]): Promise<boolean> {
    try {
      return await this.load();
    } catch (error) {
      if (taken.length === 0) throw error;
      return false;
    }
  }

  private get isLoaded(): boolean {
    return this.chunk !== undefined && this.at < this.chunk.from + this.chunk.bytes.length;
  }

  /** Makes sure that there are bytes to decode at the current place; false at the end of the log. */
  private async load(): Promise<boolean> {
    while (this.at >= this.segment.end) {
      const next = this.topic.segment(this.segment.number + 1);
      if (!next) return false;
      this.enterSegment(next);
    }
    if (this.isLoaded) return true;
    const kept = this.topic.tail.get(this.place);
    this.chunk = kept
      ? { bytes: kept, from: this.at, verify: false }
      : { bytes: await this.readFile(CHUNK_BYTES), from: this.at, verify: true };
    return true;
  }

  /** Goes on in the next segment, which must begin where this one ended. */
  private enterSegment(next: Segment): void {
    if (next.header.base.some((base, index) => base !== this.expected[index])) {
      throw new LogDamaged(this.segment.path, this.at, 'records are missing at its end');
    }
    this.segment = next;
    this.at = next.start;
    this.chunk = undefined;
  }

  /** The record at the current place; undefined when the chunk holds only a part of it (the next chunk begins with it). */
  private currentFrame(): Frame | undefined {
    const { bytes, from, verify } = this.chunk!;
    const frame = decodeFrame(bytes, this.at - from, this.segment.header.marker, verify);
    if (frame === 'short' && this.at > from) {
      this.chunk = undefined;
      return undefined;
    }
    if (typeof frame !== 'object') throw new LogDamaged(this.segment.path, this.at, 'a record can not be read');
    if (frame.position !== this.expected[frame.partition]) {
      throw new LogDamaged(this.segment.path, this.at, 'a record does not follow on the one before');
    }
    return frame;
  }

  private advance(frame: Frame): void {
    this.expected[frame.partition] = frame.position + 1;
    this.at += frame.end - frame.at;
    this.segment.addMark(this.at, this.expected);
  }

  /** Bytes from the current place on, never beyond what is synced; more than asked for when the first record is larger. */
  private async readFile(length: number): Promise<Buffer> {
    const left = this.segment.end - this.at;
    const bytes = await readRange(this.segment.path, this.at, Math.min(length, left));
    const needed = bytes.length < PREFIX_BYTES ? 0 : PREFIX_BYTES + bytes.readUInt32LE(0);
    return needed > bytes.length && needed <= left ? readRange(this.segment.path, this.at, needed) : bytes;
  }
}
