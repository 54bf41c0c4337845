import { randomInt } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Batcher, pause } from '@lettermill/concurrency';
import { LogFailed } from '../log.port';
import type { LogLines } from '../log.lines';
import { createWhole, DurableFile, type OpenFile } from './durable.file';
import { recordOf, stamp } from './record.codec';
import { encodeBatch } from './record.encode';
import { recover, type Recovered } from './recovery';
import { Segment } from './segment';
import { encodeHeader, type SegmentHeader } from './segment.header';

/** The journal is rewritten once it is larger than this and than four times what its latest entries need. Bytes. */
const COMPACT_BYTES = 1024 * 1024;
/** Milliseconds for which commits are gathered into one sync: records whose commit a crash loses are only delivered again. */
const GATHER_MS = 20;
/** No group has this name: the ends of the topics are stored under it at a clean close. */
const ENDS = '';

interface Entry {
  group: string;
  topic: string;
  positions: number[];
}

export interface PositionsOptions {
  path: string;
  openFile: OpenFile;
  lines: LogLines;
  now(): number;
  onFailed(error: LogFailed): void;
}

/** State of the journal after its last write; the file itself knows where it ends. */
type Kept = Omit<Recovered, 'end' | 'begun'>;

const idOf = (group: string, topic: string) => `${topic}\n${group}`;

function encode({ group, topic, positions }: Entry): Buffer {
  const value = Buffer.from(JSON.stringify(positions));
  return encodeBatch([{ topic, key: group, headers: { topic }, value }], 1, 0);
}

/**
 * The committed positions of each group, per topic: a journal in the same format as the topics, in which the last entry
 * of a group and topic counts.
 */
export class GroupPositions {
  private readonly batcher = new Batcher<Entry, void>((entries) => this.write(entries));
  private readonly closing = new AbortController();

  private constructor(
    private readonly options: PositionsOptions,
    private readonly entries: Map<string, Entry>,
    private header: SegmentHeader,
    private kept: Kept,
    private file: DurableFile,
  ) {}

  static async open(options: PositionsOptions): Promise<GroupPositions> {
    const { path, openFile } = options;
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    const entries = new Map<string, Entry>();
    if (size === undefined) await createWhole(openFile, path, [encodeHeader(newHeader(options.now()))]);
    const segment = await Segment.open(path, size ?? (await stat(path)).size);
    const kept = await recover(segment.source(segment.end), segment.header, segment.start, {
      frame: (frame, bytes) => {
        const { key: group, headers, value } = recordOf(bytes, frame, '');
        const entry = { group, topic: headers.topic!, positions: JSON.parse(value.toString()) as number[] };
        entries.set(idOf(group, entry.topic), entry);
      },
    });
    const file = await segment.reopen(openFile, kept.end, kept.end - kept.begun);
    return new GroupPositions(options, entries, segment.header, kept, file);
  }

  /** Positions of a group in a topic, by partition; undefined for a group that never read it. */
  of(group: string, topic: string): number[] | undefined {
    return this.entries.get(idOf(group, topic))?.positions;
  }

  /** Positions of every group that reads a topic. */
  groupsOf(topic: string): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.topic === topic && entry.group !== ENDS);
  }

  /** Where the topic ended when the log was last closed cleanly. */
  endOf(topic: string): number[] | undefined {
    return this.of(ENDS, topic);
  }

  /** Takes effect in this process at once and reaches the disk soon after; `close` waits for that. */
  commit(group: string, topic: string, positions: number[]): void {
    const entry = { group, topic, positions };
    this.entries.set(idOf(group, topic), entry);
    this.batcher.add(entry).catch((error: unknown) => this.report(error));
  }

  /** Writes what is still in memory, and where the topics end. */
  async close(ends: Map<string, number[]>): Promise<void> {
    this.closing.abort();
    for (const [topic, positions] of ends) this.commit(ENDS, topic, positions);
    await this.batcher.settled();
    await this.file.close();
  }

  private report(error: unknown): void {
    if (error instanceof LogFailed) this.options.onFailed(error);
    // No space left: the next commit of a group and topic replaces this one.
    else this.options.lines.warn({ err: error }, 'positions of consumer groups could not be written');
  }

  private async write(entries: Entry[]): Promise<void[]> {
    await pause(GATHER_MS, this.closing.signal);
    if (this.kept.unfinished) await this.rewrite();
    else await this.append(entries);
    return entries.map(() => undefined);
  }

  private async append(entries: Entry[]): Promise<void> {
    const latest = new Map(entries.map((entry) => [idOf(entry.group, entry.topic), entry]));
    const flush = this.kept.flush + 1;
    const { bytes, next } = this.stamp([...latest.values()], this.header, this.kept.next, flush);
    await this.file.append(bytes);
    this.kept = { flush, next, unfinished: false };
    if (this.file.size > COMPACT_BYTES) await this.rewrite(this.file.size / 4);
  }

  private stamp(entries: Entry[], { marker }: SegmentHeader, from: number[], flush: number) {
    const next = [...from];
    const bytes = entries.map(encode);
    bytes.forEach((batch, index) => stamp(batch, next, { marker, flush, last: index === bytes.length - 1 }));
    return { bytes, next };
  }

  /** Writes only the last entry of each group and topic to a new file, unless they need more than `most` bytes. */
  private async rewrite(most = Infinity): Promise<void> {
    const header = newHeader(this.options.now());
    const { bytes, next } = this.stamp([...this.entries.values()], header, header.base, 1);
    const start = encodeHeader(header);
    const size = [start, ...bytes].reduce((sum, { length }) => sum + length, 0);
    if (size > most) return;
    await createWhole(this.options.openFile, this.options.path, [start, ...bytes]);
    // If it cannot be opened, writes go on to the old file, and the next one tries to rewrite again.
    const file = await DurableFile.open(this.options.openFile, this.options.path, size);
    await this.file.close().catch(() => undefined);
    this.header = header;
    this.kept = { flush: 1, next, unfinished: false };
    this.file = file;
  }
}

function newHeader(created: number): SegmentHeader {
  return {
    format: 1,
    topic: 'positions',
    number: 1,
    base: [0],
    flush: 0,
    marker: randomInt(2 ** 32),
    created,
    previous: 0,
  };
}
