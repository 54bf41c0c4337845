import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LogDamaged } from '../log.faults';
import { writeFileAtomically, DurableFile, type OpenFile } from './durable.file';
import type { ByteSource } from './recovery';
import { decodeHeader, encodeHeader, MAX_HEADER_BYTES, type SegmentHeader } from './segment.header';

/** Roughly the bytes between two marks, which spare a scan from the start of the segment. */
const MARK_INTERVAL_BYTES = 1024 * 1024;
const FILE_NAME = /^(\d{16})\.seg$/;

/** A record begins at byte `at`; `next` holds the next position of every partition there. */
interface Mark {
  at: number;
  next: number[];
}

/** Number of a segment file by its name, undefined for any other file. */
export function segmentNumber(name: string): number | undefined {
  const digits = FILE_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Reads a range of a file; fewer bytes when the file ends before. Rejects when it no longer exists. */
export async function readRange(path: string, at: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(length);
    let read = 0;
    while (read < length) {
      const { bytesRead } = await file.read(bytes, read, length - read, at + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  } finally {
    await file.close();
  }
}

/** One file of a topic. `end` is how far it is synced: nobody reads beyond. */
export class Segment {
  private readonly marks: Mark[];

  constructor(
    readonly path: string,
    readonly header: SegmentHeader,
    readonly start: number,
    public end: number,
  ) {
    this.marks = [{ at: start, next: header.base }];
  }

  static pathOf(directory: string, number: number): string {
    return join(directory, `${String(number).padStart(16, '0')}.seg`);
  }

  static async create(openIt: OpenFile, directory: string, header: SegmentHeader): Promise<Segment> {
    const path = Segment.pathOf(directory, header.number);
    const bytes = encodeHeader(header);
    await writeFileAtomically(openIt, path, [bytes]);
    return new Segment(path, header, bytes.length, bytes.length);
  }

  /** Reads the header. `size` is the size of the file. */
  static async open(path: string, size: number): Promise<Segment> {
    const decoded = decodeHeader(await readRange(path, 0, Math.min(size, MAX_HEADER_BYTES)));
    if (!decoded) throw new LogDamaged(path, 0, 'the header can not be read');
    return new Segment(path, decoded.header, decoded.end, size);
  }

  get number(): number {
    return this.header.number;
  }

  /** Opens its file for appends at `end`. The `maybeUnsyncedBytes` before that may never have been synced, so they are written again. */
  async openForAppends(openIt: OpenFile, end: number, maybeUnsyncedBytes: number): Promise<DurableFile> {
    const tail =
      maybeUnsyncedBytes > 0 ? await readRange(this.path, end - maybeUnsyncedBytes, maybeUnsyncedBytes) : undefined;
    return DurableFile.open(openIt, this.path, end, tail);
  }

  /** This segment as bytes to be scanned. */
  source(size: number): ByteSource {
    return { name: this.path, size, read: (at, length) => readRange(this.path, at, Math.min(length, size - at)) };
  }

  /** Remembers a place where a record begins, if the last mark is far enough back. */
  addMark(at: number, next: number[]): void {
    if (at - this.marks.at(-1)!.at >= MARK_INTERVAL_BYTES) this.marks.push({ at, next: [...next] });
  }

  /** The last mark before which every record is below `positions`; the start if there is none. */
  markBefore(positions: number[]): Mark {
    const below = ({ next }: Mark) => next.every((position, index) => position <= positions[index]!);
    return this.marks.findLast(below) ?? this.marks[0]!;
  }
}
