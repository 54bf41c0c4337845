import { pause } from '@lettermill/concurrency';
import type { LogLines } from '../log.lines';
import type { LogRecord } from '../log.port';
import { noteOf, type Commit, type CommitNote } from './commit.note';

/** How much earlier than the lost record what replaced it may have been stamped: the clocks of gateways differ. */
const MARGIN_MS = 5 * 60_000;
const MAX_TRIES = 10;
const RETRY_DELAY_MS = 500;

/** What a group and its topic are asked for. */
export interface TailSource {
  commits(): Promise<Map<number, Commit>>;
  /** The first record at or after each of the positions, by partition. */
  recordsAt(positions: Map<number, number>): Promise<Map<number, LogRecord>>;
  /** By partition, the position of the first record of that time or later, else the end. */
  positionsAt(timestamp: number): Promise<Map<number, number>>;
}

export interface TailOptions {
  topic: string;
  group: string | undefined;
  lines: LogLines;
  source: TailSource;
  /** Drops what was fetched of the partition, and makes the next fetch begin there. */
  seek(partition: number, position: number): void;
}

/**
 * Finds out whether the brokers lost the records up to a committed position (a single broker after a power failure) and
 * put others in their place: kafkajs would go on behind them, and those were acknowledged, too. Looks at the last
 * committed record after each join, and when records come from another leader than those before. If another one lies
 * there, the group reads again from some minutes before it: consumers know an event by its id.
 */
export class TailCheck {
  private mine: ReadonlySet<number> = new Set();
  private unchecked = new Set<number>();
  private readonly epochs = new Map<number, number>();
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(private readonly options: TailOptions) {}

  /** Whether records may be handed out only after `check`. */
  get isDue(): boolean {
    return this.unchecked.size > 0 || this.running !== undefined;
  }

  joined(partitions: readonly number[]): void {
    this.mine = new Set(partitions);
    this.unchecked = new Set(partitions);
    this.epochs.clear();
    // A partition to which nothing is appended for a while is looked at now, too.
    void this.check();
  }

  /** Called with the epoch of the leader that appended the records fetched last. */
  fetched(partition: number, epoch: number | undefined): void {
    if (epoch === undefined) return;
    const known = this.epochs.get(partition);
    this.epochs.set(partition, epoch);
    if (known !== undefined && known !== epoch) this.unchecked.add(partition);
  }

  check(): Promise<void> {
    this.running ??= this.checkAll().finally(() => (this.running = undefined));
    return this.running;
  }

  stop(): void {
    this.stopped = true;
  }

  private async checkAll(): Promise<void> {
    for (let tries = 1; this.unchecked.size > 0 && !this.stopped; tries += 1) {
      // What is added while these are looked at needs a look of its own.
      const partitions = [...this.unchecked];
      this.unchecked.clear();
      try {
        await this.checkSome(partitions);
        tries = 0;
      } catch (error) {
        if (tries < MAX_TRIES) {
          for (const partition of partitions) if (this.mine.has(partition)) this.unchecked.add(partition);
          await pause(RETRY_DELAY_MS);
          continue;
        }
        // A group that stands still would be worse than what this looks for.
        tries = 0;
        const { topic, group, lines } = this.options;
        lines.warn({ topic, group, err: error }, 'it could not be checked whether records read before are still there');
      }
    }
  }

  private async checkSome(partitions: number[]): Promise<void> {
    const { source } = this.options;
    const commits = await source.commits();
    const notes = new Map<number, CommitNote>();
    for (const partition of partitions) {
      const commit = commits.get(partition);
      const note = commit && noteOf(commit);
      if (note) notes.set(partition, note);
    }
    if (notes.size === 0) return;
    const found = await source.recordsAt(new Map([...notes].map(([partition, { position }]) => [partition, position])));
    for (const [partition, note] of notes) {
      const record = found.get(partition);
      if (isAnother(note, record)) await this.goBack(partition, note, record);
      else this.noteEpoch(partition, note);
    }
  }

  private noteEpoch(partition: number, { epoch }: CommitNote): void {
    if (epoch >= 0 && !this.epochs.has(partition)) this.epochs.set(partition, epoch);
  }

  private async goBack(partition: number, note: CommitNote, record: LogRecord | undefined): Promise<void> {
    const { topic, group, lines, source, seek } = this.options;
    const found = (await source.positionsAt(note.at - MARGIN_MS)).get(partition) ?? 0;
    // A clock was set back by more than the margin: everything that is kept.
    const from = found <= note.position ? found : 0;
    // Another member has the partition now.
    if (!this.mine.has(partition) || this.stopped) return;
    // What is read again has leaders of before, which is no reason for another look.
    this.epochs.delete(partition);
    seek(partition, from);
    const { position, next: committed } = note;
    lines.error(
      { topic, group, partition, position, committed, was: note.id, is: record?.headers.ce_id, from },
      'the brokers have lost records that this group has read, and others lie in their place; reading again from before',
    );
  }
}

/** Retention or compaction may have removed the record; then it is not known whether it was there. */
function isAnother({ position, id }: CommitNote, record: LogRecord | undefined): boolean {
  return record?.position === position && record.headers.ce_id !== id;
}
