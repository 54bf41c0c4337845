import type { SqlResult, SqlStep } from './sql.protocol';

/** Changed rows between checkpoints: some megabytes of the write-ahead log. */
const CHECKPOINT_INTERVAL_CHANGES = 2_000;
const CHECKPOINT_STEPS: SqlStep[] = [
  // The connection may be older than the log of a new database, of which it learns only by reading: until then it would do nothing.
  { sql: 'SELECT 1 FROM sqlite_schema LIMIT 1', rows: [[]] },
  { sql: 'PRAGMA wal_checkpoint(PASSIVE)', rows: [[]] },
];

/**
 * Moves what was written from the write-ahead log into the database, over a connection of its own, so that neither
 * writes nor reads wait for the disk meanwhile.
 */
export class Checkpoints {
  private changes = 0;
  private running = false;

  constructor(private readonly call: (steps: SqlStep[]) => Promise<unknown>) {}

  /** To be called with the results of every write. */
  countChanges(results: SqlResult[]): void {
    for (const { changes } of results) for (const count of changes) this.changes += count;
    if (this.changes >= CHECKPOINT_INTERVAL_CHANGES && !this.running) void this.runCheckpoint();
  }

  /** A checkpoint that fails is made up for by the next; the thread has already reported a disk that failed. */
  private async runCheckpoint(): Promise<void> {
    this.changes = 0;
    this.running = true;
    await this.call(CHECKPOINT_STEPS).catch(() => undefined);
    this.running = false;
  }
}
