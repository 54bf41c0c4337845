import { Batcher } from '@lettermill/concurrency';
import { LogFailed, LogUnavailable, type NewRecord } from '../log.port';
import { DurableFile, isTooManyFiles } from './durable.file';
import { Arena, joinAdjacent } from './arena';
import { stamp } from './record.codec';
import { BatchEncoder } from './record.encode';
import type { TopicLog } from './topic.log';

/** Bytes beyond this wait for the next flush: callers that were answered make new appends while that one is being written. */
const MAX_FLUSH_BYTES = 1024 * 1024;
/** Adjacent appends are joined into pieces of up to this many bytes. */
const MAX_PIECE_BYTES = 512 * 1024;

export interface WriterOptions {
  /** Bytes; a segment that has reached this size is followed by a new one. */
  segmentBytes: number;
  onFailed(error: LogFailed): void;
}

/**
 * The one writer of a topic. Self-clocked group commit: while a sync runs, append calls wait, and the next sync takes
 * all of them in one write, up to `MAX_FLUSH_BYTES`.
 */
export class TopicWriter {
  private readonly batcher = new Batcher<Buffer | 'roll', Error | undefined>((items) => this.runBatch(items), {
    size: { most: MAX_FLUSH_BYTES, of: (item) => (item === 'roll' ? 0 : item.length) },
  });
  private readonly encoder: BatchEncoder;
  private failure: LogFailed | undefined;
  /** The last segment was created but could not be opened, as too many files were open. */
  private isSegmentUnopened = false;

  private constructor(
    private readonly topic: TopicLog,
    private readonly options: WriterOptions,
    private file: DurableFile,
  ) {
    this.encoder = new BatchEncoder(topic.partitions, new Arena());
  }

  /** Opens the last segment for writing; cuts off what recovery discarded. */
  static async open(topic: TopicLog, options: WriterOptions): Promise<TopicWriter> {
    const { lastSegment: last, maybeUnsyncedBytes: unsure } = topic;
    const file = await last.openForAppends(topic.options.openFile, last.end, unsure);
    return new TopicWriter(topic, options, file);
  }

  /** Resolves when all records are synced. Rejects with `LogUnavailable` or `LogFailed`; then this process hands out none of them. */
  async append(records: NewRecord[]): Promise<void> {
    return this.add(this.encoder.encode(records, this.topic.options.now()));
  }

  /** Ends the last segment, so that retention may remove it one day. */
  async roll(): Promise<void> {
    await this.add('roll');
  }

  /** Refuses everything from now on. */
  fail(error: LogFailed): void {
    this.failure ??= error;
  }

  async close(): Promise<void> {
    await this.batcher.settled();
    await this.file.close();
  }

  private async add(item: Buffer | 'roll'): Promise<void> {
    const error = await this.batcher.add(item);
    if (error) throw error;
  }

  private async runBatch(items: (Buffer | 'roll')[]): Promise<(Error | undefined)[]> {
    const rolled = items.includes('roll') ? await this.attempt(() => this.startNextSegment()) : undefined;
    const batches = items.filter((item) => item !== 'roll');
    const flushed = batches.length > 0 ? await this.attempt(() => this.flush(batches)) : undefined;
    return items.map((item) => (item === 'roll' ? rolled : flushed));
  }

  /** Returns what `action` rejected with. After a failure nothing is attempted any more. */
  private async attempt(action: () => Promise<void>): Promise<Error | undefined> {
    if (this.failure) return this.failure;
    try {
      await action();
      return undefined;
    } catch (error) {
      if (error instanceof LogFailed) {
        this.fail(error);
        this.options.onFailed(error);
      }
      return error as Error;
    }
  }

  private async flush(batches: Buffer[]): Promise<void> {
    const { topic } = this;
    const full = topic.hasUnfinishedFlush || this.file.size >= this.options.segmentBytes;
    if (this.isSegmentUnopened || full) await this.startNextSegment();
    const next = [...topic.nextPositions];
    const { marker } = topic.lastSegment.header;
    const pieces = joinAdjacent(batches, MAX_PIECE_BYTES);
    pieces.forEach((bytes, index) => {
      stamp(bytes, next, { marker, flush: topic.flush + 1, last: index === pieces.length - 1 });
    });
    await this.file.append(pieces);
    topic.addSynced(pieces, next);
  }

  /** Continues in a new segment. Nothing is lost when it cannot be created or opened: the next flush tries again. */
  private async startNextSegment(): Promise<void> {
    if (!this.isSegmentUnopened) {
      if (this.topic.lastSegment.end === this.topic.lastSegment.start) return;
      await this.createSegment();
      this.isSegmentUnopened = true;
    }
    const old = this.file;
    this.file = await this.openLastSegment();
    this.isSegmentUnopened = false;
    // Everything in it is synced, so a failure to close it does not matter.
    await old.close().catch(() => undefined);
  }

  private async createSegment(): Promise<void> {
    try {
      await this.topic.startSegment();
    } catch (error) {
      if (error instanceof LogFailed) throw error;
      const what = `no new segment could be made for ${this.topic.name}`;
      throw new LogUnavailable(what, { cause: error, unwritten: true });
    }
  }

  private async openLastSegment(): Promise<DurableFile> {
    const { path, end } = this.topic.lastSegment;
    try {
      return await DurableFile.open(this.topic.options.openFile, path, end);
    } catch (error) {
      const what = `the segment ${path} could not be opened`;
      if (isTooManyFiles(error)) throw new LogUnavailable(what, { cause: error, unwritten: true });
      throw new LogFailed(what, { cause: error });
    }
  }
}
