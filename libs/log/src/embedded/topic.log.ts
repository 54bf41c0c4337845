import { randomInt } from 'node:crypto';
import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { LogDamaged } from '../log.faults';
import { makeDirectory, syncDirectory, type OpenFile } from './durable.file';
import { recover } from './recovery';
import { Segment, segmentNumber } from './segment';
import type { SegmentHeader } from './segment.header';
import type { TailMemory } from './tail.memory';

/** A place in a topic that can be compared: the segment number and the byte offset in it. */
export type Place = number;

export function placeAt(segment: number, at: number): Place {
  return segment * 2 ** 32 + at;
}

export interface TopicOptions {
  name: string;
  directory: string;
  /** For a topic that does not exist yet; an existing one keeps the number it was created with. */
  partitions: number;
  openFile: OpenFile;
  memory: TailMemory;
  now(): number;
}

/** Something that reads a topic: retention keeps the segment that it is in. */
export interface Reader {
  readonly segmentNumber: number;
  /** Called when records were added. */
  wake(): void;
}

/** None for a folder that does not exist. */
async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function openSegments(directory: string, topic: string): Promise<Segment[]> {
  const names = await namesIn(directory);
  await Promise.all(names.filter((name) => name.endsWith('.tmp')).map((name) => rm(join(directory, name))));
  const numbers = names.map(segmentNumber).filter((number) => number !== undefined);
  const segments: Segment[] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const path = Segment.pathOf(directory, number);
    const segment = await Segment.open(path, (await stat(path)).size);
    const before = segments.at(-1);
    if (segment.number !== number || segment.header.topic !== topic) {
      throw new LogDamaged(path, 0, 'it belongs elsewhere');
    }
    if (before && before.number + 1 !== number) {
      throw new LogDamaged(path, 0, 'a segment before it is missing');
    }
    if (before && before.end !== segment.header.previous) {
      throw new LogDamaged(before.path, before.end, `it should have ${segment.header.previous} bytes`);
    }
    segments.push(segment);
  }
  return segments;
}

/** The state of a topic: its segments, the next position of each partition, and its readers. The writer advances it. */
export class TopicLog {
  readonly readers = new Set<Reader>();
  /** Pieces of the last segments that are still in memory, by place. */
  readonly tail = new Map<Place, Buffer>();
  /** Bytes at the end of the last segment that recovery discarded: they were never acknowledged. */
  discardedBytes = 0;
  /** Bytes of a recovered last segment that may never have been synced: its last flush. */
  maybeUnsyncedBytes = 0;
  /** The last flush of a recovered last segment is incomplete: nothing may be appended to that segment. */
  hasUnfinishedFlush = false;

  private constructor(
    readonly options: TopicOptions,
    readonly segments: Segment[],
    public nextPositions: number[],
    public flush: number,
  ) {}

  /** Rejects with what `check` throws, before anything is made: a folder that was lost can then still be restored. */
  static async open(options: TopicOptions, check: (topic: TopicLog) => void): Promise<TopicLog> {
    const { directory, name } = options;
    const segments = await openSegments(directory, name);
    const last = segments.at(-1);
    const base = last?.header.base ?? new Array<number>(options.partitions).fill(0);
    const topic = new TopicLog(options, segments, [...base], last?.header.flush ?? 0);
    if (last) await topic.recoverLast(last);
    check(topic);
    await makeDirectory(directory);
    // As with the folder itself: the name of an existing segment may not be on disk yet.
    if (last) await syncDirectory(directory);
    else await topic.startSegment();
    return topic;
  }

  get name(): string {
    return this.options.name;
  }

  get partitions(): number {
    return this.nextPositions.length;
  }

  get lastSegment(): Segment {
    return this.segments.at(-1)!;
  }

  get firstSegment(): Segment {
    return this.segments[0]!;
  }

  /** Where the log ends: all before it is synced. */
  get end(): Place {
    return placeAt(this.lastSegment.number, this.lastSegment.end);
  }

  segment(number: number): Segment | undefined {
    return this.segments[number - this.firstSegment.number];
  }

  /** The last segment before which every record is below `positions`; the first one if there is none. */
  segmentHolding(positions: number[]): Segment {
    const holds = ({ header }: Segment) => header.base.every((base, index) => base <= positions[index]!);
    return this.segments.findLast(holds) ?? this.firstSegment;
  }

  /** Starts a new segment. */
  async startSegment(): Promise<void> {
    const before = this.segments.at(-1);
    const header: SegmentHeader = {
      format: 1,
      topic: this.name,
      number: (before?.number ?? 0) + 1,
      base: [...this.nextPositions],
      flush: this.flush,
      marker: randomInt(2 ** 32),
      created: this.options.now(),
      previous: before?.end ?? 0,
    };
    this.segments.push(await Segment.create(this.options.openFile, this.options.directory, header));
    this.hasUnfinishedFlush = false;
    // Readers at the end of the previous segment have to go on in this one.
    for (const reader of this.readers) reader.wake();
  }

  /** Takes over what the writer has synced at the end of the last segment. */
  addSynced(batches: Buffer[], next: number[]): void {
    const { lastSegment: last } = this;
    for (const bytes of batches) {
      this.options.memory.add(this.tail, placeAt(last.number, last.end), bytes);
      last.end += bytes.length;
    }
    last.addMark(last.end, next);
    this.nextPositions = next;
    this.flush += 1;
    for (const reader of this.readers) reader.wake();
  }

  /** Removes whole segments, the oldest first. */
  async dropSegments(count: number): Promise<void> {
    const leaving = this.segments.splice(0, count);
    try {
      for (let segment = leaving[0]; segment; segment = leaving[0]) {
        await unlink(segment.path);
        leaving.shift();
        await syncDirectory(this.options.directory);
      }
    } finally {
      this.segments.unshift(...leaving);
    }
  }

  private async recoverLast(last: Segment): Promise<void> {
    const size = last.end;
    const { end, next, flush, begun, unfinished } = await recover(last.source(size), last.header, last.start, {
      batch: (kept) => last.addMark(kept.end, kept.next),
    });
    last.end = end;
    this.nextPositions = next;
    this.flush = flush;
    this.maybeUnsyncedBytes = end - begun;
    this.hasUnfinishedFlush = unfinished;
    this.discardedBytes = size - end;
  }
}
