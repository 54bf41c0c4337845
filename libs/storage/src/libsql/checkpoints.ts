import type { SqlResult, SqlStep } from './sql.protocol';

/** Changed rows between checkpoints: some megabytes of the write-ahead log. */
const EVERY_CHANGES = 2_000;
const CHECKPOINT: SqlStep[] = [{ sql: 'PRAGMA wal_checkpoint(PASSIVE)', rows: [[]] }];

/**
 * Moves what was written from the write-ahead log into the database, over a connection of its own, so that neither
 * writes nor reads wait for the disk meanwhile.
 */
export class Checkpoints {
  private changes = 0;
  private running = false;

  constructor(private readonly call: (steps: SqlStep[]) => Promise<unknown>) {}

  /** To be called with the results of every write. */
  written(results: SqlResult[]): void {
    for (const { changes } of results) for (const count of changes) this.changes += count;
    if (this.changes >= EVERY_CHANGES && !this.running) void this.make();
  }

  /** A checkpoint that fails is made up for by the next; the thread has already reported a disk that failed. */
  private async make(): Promise<void> {
    this.changes = 0;
    this.running = true;
    await this.call(CHECKPOINT).catch(() => undefined);
    this.running = false;
  }
}
