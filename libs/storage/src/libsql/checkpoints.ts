import { BUSY_TIMEOUT_MS, type SqlResult, type SqlStep } from './sql.protocol';

/** Changed rows between checkpoints: some megabytes of the write-ahead log. */
const CHECKPOINT_INTERVAL_CHANGES = 2_000;
const CHECKPOINT_STEPS: SqlStep[] = [
  // The connection may be older than the log of a new database, of which it learns only by reading: until then it would do nothing.
  { sql: 'SELECT 1 FROM sqlite_schema LIMIT 1', rows: [[]] },
  { sql: 'PRAGMA wal_checkpoint(PASSIVE)', rows: [[]] },
];
/** Pages; the writer itself lets the log begin anew when it has 8,000, unless a search reads from it at that moment. */
const LONG_WAL_PAGES = 12_000;
/**
 * Runs where searches do, so that none is in its way. The writer waits meanwhile: for what it wrote since the other checkpoint to be moved,
 * and for whoever else reads from the log, such as an operator's program, but only for a moment.
 */
const RESTART_STEPS: SqlStep[] = [
  { sql: 'PRAGMA busy_timeout = 100', rows: [[]] },
  { sql: 'PRAGMA wal_checkpoint(RESTART)', rows: [[]] },
  { sql: `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`, rows: [[]] },
];

/**
 * Moves what was written from the write-ahead log into the database, over a connection of its own, so that neither
 * writes nor reads wait for the disk meanwhile.
 */
export class Checkpoints {
  private changes = 0;
  private running = false;
  private restartAbove = LONG_WAL_PAGES;

  constructor(private readonly call: (steps: SqlStep[]) => Promise<SqlResult[]>) {}

  /** To be called with the results of every write. */
  countChanges(results: SqlResult[]): void {
    for (const { changes } of results) for (const count of changes) this.changes += count;
    if (this.changes >= CHECKPOINT_INTERVAL_CHANGES && !this.running) void this.runCheckpoint();
  }

  /** A checkpoint that fails is made up for by the next; the thread has already reported a disk that failed. */
  private async runCheckpoint(): Promise<void> {
    this.changes = 0;
    this.running = true;
    await this.checkpoint().catch(() => undefined);
    this.running = false;
  }

  /**
   * While one search follows another, there is always one that reads from the log, and it would grow for as long as that. If it cannot begin
   * anew, this is tried again once it has grown by as much.
   */
  private async checkpoint(): Promise<void> {
    const pages = Number((await this.call(CHECKPOINT_STEPS)).at(-1)?.rows[0]?.log);
    if (pages <= LONG_WAL_PAGES) this.restartAbove = LONG_WAL_PAGES;
    if (!(pages > this.restartAbove)) return;
    this.restartAbove = pages + LONG_WAL_PAGES;
    await this.call(RESTART_STEPS);
  }
}
