import { randomInt } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Batcher, pause } from '@lettermill/concurrency';
import { LogFailed } from '../log.port';
import type { LogLines } from '../log.lines';
import { writeFileAtomically, DurableFile, type OpenFile } from './durable.file';
import { recordOf, stamp } from './record.codec';
import { encodeBatch } from './record.encode';
import { recover, type Recovered } from './recovery';
import { Segment } from './segment';
import { encodeHeader, type SegmentHeader } from './segment.header';

/** The journal is rewritten once it is larger than this and than four times what its latest entries need. Bytes. */
const COMPACTION_THRESHOLD_BYTES = 1024 * 1024;
/** Milliseconds for which commits are gathered into one sync: records whose commit a crash loses are only delivered again. */
const COMMIT_DELAY_MS = 20;
/** No group has this name: the ends of the topics are stored under it at a clean close. */
const TOPIC_ENDS_GROUP = '';

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
type JournalState = Omit<Recovered, 'end' | 'begun'>;

const entryIdOf = (group: string, topic: string) => `${topic}\n${group}`;

function encodeEntry({ group, topic, positions }: Entry): Buffer {
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
  /** The entries that a crash leaves. */
  private readonly onDisk: Map<string, Entry>;
  private lastWrite: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: PositionsOptions,
    private readonly entries: Map<string, Entry>,
    private header: SegmentHeader,
    private journal: JournalState,
    private file: DurableFile,
  ) {
    this.onDisk = new Map(entries);
  }

  static async open(options: PositionsOptions): Promise<GroupPositions> {
    const { path, openFile } = options;
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    const entries = new Map<string, Entry>();
    if (size === undefined) await writeFileAtomically(openFile, path, [encodeHeader(newHeader(options.now()))]);
    const segment = await Segment.open(path, size ?? (await stat(path)).size);
    const recovered = await recover(segment.source(segment.end), segment.header, segment.start, {
      frame: (frame, bytes) => {
        const { key: group, headers, value } = recordOf(bytes, frame, '');
        const entry = { group, topic: headers.topic!, positions: JSON.parse(value.toString()) as number[] };
        entries.set(entryIdOf(group, entry.topic), entry);
      },
    });
    const file = await segment.openForAppends(openFile, recovered.end, recovered.end - recovered.begun);
    return new GroupPositions(options, entries, segment.header, recovered, file);
  }

  /** Positions of a group in a topic, by partition; undefined for a group that never read it. */
  positionsOf(group: string, topic: string): number[] | undefined {
    return this.entries.get(entryIdOf(group, topic))?.positions;
  }

  /** Every topic that a group has read, or that was there at a clean close. */
  topicNames(): string[] {
    return [...this.entries.values()].map(({ topic }) => topic);
  }

  /** Positions of every group that reads a topic. */
  groupsOf(topic: string): Entry[] {
    return [...this.entries.values()].filter((entry) => entry.topic === topic && entry.group !== TOPIC_ENDS_GROUP);
  }

  /** Those of `groupsOf` as a crash leaves them; empty for a group that is not on disk yet. */
  writtenPositionsOf(topic: string): number[][] {
    return this.groupsOf(topic).map(({ group }) => this.onDisk.get(entryIdOf(group, topic))?.positions ?? []);
  }

  /** Resolves when everything committed so far is on disk, or could not be written. */
  written(): Promise<void> {
    return this.lastWrite;
  }

  /** Where the topic ended when the log was last closed cleanly. */
  cleanEndOf(topic: string): number[] | undefined {
    return this.positionsOf(TOPIC_ENDS_GROUP, topic);
  }

  /** Takes effect in this process at once and reaches the disk soon after; `close` waits for that. */
  commit(group: string, topic: string, positions: number[]): void {
    const entry = { group, topic, positions };
    this.entries.set(entryIdOf(group, topic), entry);
    this.lastWrite = this.batcher.add(entry).catch((error: unknown) => this.reportFailure(error));
  }

  /** Writes what is still in memory, and where the topics end. */
  async close(ends: Map<string, number[]>): Promise<void> {
    this.closing.abort();
    for (const [topic, positions] of ends) this.commit(TOPIC_ENDS_GROUP, topic, positions);
    await this.batcher.settled();
    await this.file.close();
  }

  private reportFailure(error: unknown): void {
    if (error instanceof LogFailed) this.options.onFailed(error);
    // No space left: the next commit of a group and topic replaces this one.
    else this.options.lines.warn({ err: error }, 'positions of consumer groups could not be written');
  }

  private async write(entries: Entry[]): Promise<void[]> {
    await pause(COMMIT_DELAY_MS, this.closing.signal);
    if (this.journal.unfinished) await this.rewrite();
    else await this.append(entries);
    return entries.map(() => undefined);
  }

  private async append(entries: Entry[]): Promise<void> {
    const latest = new Map(entries.map((entry) => [entryIdOf(entry.group, entry.topic), entry]));
    const flush = this.journal.flush + 1;
    const { bytes, next } = this.stampEntries([...latest.values()], this.header, this.journal.next, flush);
    await this.file.append(bytes);
    this.noteOnDisk([...latest.values()]);
    this.journal = { flush, next, unfinished: false };
    if (this.file.size > COMPACTION_THRESHOLD_BYTES) await this.rewrite(this.file.size / 4);
  }

  private noteOnDisk(entries: Entry[]): void {
    for (const entry of entries) this.onDisk.set(entryIdOf(entry.group, entry.topic), entry);
  }

  private stampEntries(entries: Entry[], { marker }: SegmentHeader, from: number[], flush: number) {
    const next = [...from];
    const bytes = entries.map(encodeEntry);
    bytes.forEach((batch, index) => stamp(batch, next, { marker, flush, last: index === bytes.length - 1 }));
    return { bytes, next };
  }

  /** Writes only the last entry of each group and topic to a new file, unless they need more than `maxBytes`. */
  private async rewrite(maxBytes = Infinity): Promise<void> {
    const header = newHeader(this.options.now());
    const entries = [...this.entries.values()];
    const { bytes, next } = this.stampEntries(entries, header, header.base, 1);
    const start = encodeHeader(header);
    const size = [start, ...bytes].reduce((sum, { length }) => sum + length, 0);
    if (size > maxBytes) return;
    await writeFileAtomically(this.options.openFile, this.options.path, [start, ...bytes]);
    this.noteOnDisk(entries);
    // If it cannot be opened, writes go on to the old file, and the next one tries to rewrite again.
    const file = await DurableFile.open(this.options.openFile, this.options.path, size);
    await this.file.close().catch(() => undefined);
    this.header = header;
    this.journal = { flush: 1, next, unfinished: false };
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
