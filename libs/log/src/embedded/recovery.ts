import { LogDamaged } from '../log.faults';
import { decodeFrame, END_OF_BATCH, END_OF_FLUSH, findLaterFlush, PREFIX_BYTES, type Frame } from './record.codec';
import type { SegmentHeader } from './segment.header';

const CHUNK_BYTES = 1024 * 1024;

/** Bytes that can be read at any offset; a read returns fewer than asked for only at their end. */
export interface ByteSource {
  name: string;
  size: number;
  read(at: number, length: number): Promise<Buffer>;
}

/** How far a file is intact. */
export interface Recovered {
  /** Bytes to keep; what follows was never acknowledged. */
  end: number;
  /** Next position per partition. */
  next: number[];
  /** The last flush of which something is kept, and the byte at which it begins. */
  flush: number;
  begun: number;
  /**
   * Only a part of that flush is kept. Nothing may be appended to it: a torn append would look like damage to the rest
   * of this flush, with a later flush behind it.
   */
  unfinished: boolean;
}

export interface Visitor {
  /** Called for each record of the file, even one that is cut off in the end. */
  frame?(frame: Frame, bytes: Buffer): void;
  /** Called after each whole batch. */
  batch?(kept: Recovered): void;
}

/** Follows the records of a file: which batches are whole, and whether each record continues the previous one. */
class Walk {
  kept: Recovered;
  private next: number[];
  private flush: number;
  private begun: number;
  private flags = END_OF_BATCH | END_OF_FLUSH;

  constructor(
    private readonly source: ByteSource,
    header: SegmentHeader,
    public at: number,
  ) {
    this.next = [...header.base];
    this.flush = header.flush;
    this.begun = at;
    this.kept = { end: at, next: [...header.base], flush: header.flush, begun: at, unfinished: false };
  }

  step(frame: Frame): void {
    const { partition, position, flush, flags } = frame;
    const beginsFlush = flush === this.flush + 1 && (this.flags & END_OF_BATCH) !== 0;
    const continuesFlush = flush === this.flush && (this.flags & END_OF_FLUSH) === 0;
    const fits = beginsFlush || continuesFlush;
    if (!fits || this.next[partition] !== position) {
      throw new LogDamaged(this.source.name, this.at, 'a record does not follow on the one before');
    }
    this.next[partition] = position + 1;
    if (flush !== this.flush) this.begun = this.at;
    this.flush = flush;
    this.flags = flags;
    this.at += frame.end - frame.at;
    if (flags & END_OF_BATCH) {
      const unfinished = (flags & END_OF_FLUSH) === 0;
      this.kept = { end: this.at, next: [...this.next], flush, begun: this.begun, unfinished };
    }
  }

  /** The flush that an undecodable record at this place belongs to. */
  get brokenFlush(): number {
    return this.flags & END_OF_FLUSH ? this.flush + 1 : this.flush;
  }
}

/** Reads a chunk at `at`: at least one whole record if there is one. */
async function readChunk(source: ByteSource, at: number): Promise<Buffer> {
  const bytes = await source.read(at, CHUNK_BYTES);
  const needed = bytes.length < PREFIX_BYTES ? 0 : PREFIX_BYTES + bytes.readUInt32LE(0);
  return needed > bytes.length ? source.read(at, needed) : bytes;
}

/** Walks over the whole records of a chunk; false when not even the first one is whole. */
function walkChunk(walk: Walk, bytes: Buffer, marker: number, visitor: Visitor): boolean {
  let place = 0;
  while (place < bytes.length) {
    const frame = decodeFrame(bytes, place, marker);
    if (typeof frame !== 'object') return place > 0;
    walk.step(frame);
    visitor.frame?.(frame, bytes);
    if (frame.flags & END_OF_BATCH) visitor.batch?.(walk.kept);
    place = frame.end;
  }
  return true;
}

/**
 * Finds how far the last file of a topic is intact. A tail that does not decode is cut back to the last whole batch if
 * a crash during its flush explains it. If a record of a later flush follows, the broken flush had been synced before,
 * so it is damaged: rejects with `LogDamaged`.
 */
export async function recover(
  source: ByteSource,
  header: SegmentHeader,
  from: number,
  visitor: Visitor = {},
): Promise<Recovered> {
  const walk = new Walk(source, header, from);
  while (walk.at < source.size) {
    const bytes = await readChunk(source, walk.at);
    if (bytes.length > 0 && walkChunk(walk, bytes, header.marker, visitor)) continue;
    const rest = await source.read(walk.at, source.size - walk.at);
    const later = findLaterFlush(rest, 1, header.marker, walk.brokenFlush);
    if (later >= 0) {
      throw new LogDamaged(source.name, walk.at, `whole records follow at byte ${walk.at + later}`);
    }
    break;
  }
  return walk.kept;
}
