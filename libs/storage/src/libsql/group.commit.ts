import type { SqlAnswer, SqlCall } from './sql.protocol';

/** The part of the writing connection that is used here. */
export interface Transactions {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
}

/** Runs one call within the open transaction, all or nothing; throws when the transaction itself is lost. */
export type RunCall = (call: SqlCall) => SqlAnswer;

/**
 * Group commit. Calls run in an open transaction while the previous one is being synced; then it is committed and
 * synced in its turn, and only then are its calls answered. After a failed sync nothing is known to be on the disk, so
 * every later answer is that error.
 */
export class GroupCommit {
  /** Answers to the calls in the open transaction, and to those that were lost with an earlier one. */
  private answers: SqlAnswer[] = [];
  private flushing: Promise<void> | undefined;
  private failedSync: Error | undefined;

  constructor(
    private readonly database: Transactions,
    private readonly runCall: RunCall,
    private readonly sync: () => Promise<void>,
    private readonly send: (answers: SqlAnswer[]) => void,
  ) {}

  take(calls: Iterable<SqlCall>): void {
    for (const call of calls) this.run(call);
    this.flushing ??= this.flush().finally(() => (this.flushing = undefined));
  }

  /** Waits until all calls are answered. */
  async settled(): Promise<void> {
    await this.flushing;
  }

  private run(call: SqlCall): void {
    try {
      if (!this.database.inTransaction) this.database.exec('BEGIN IMMEDIATE');
      this.answers.push(this.runCall(call));
    } catch (error) {
      this.answers.push({ id: call.id });
      this.lose(error);
    }
  }

  private async flush(): Promise<void> {
    while (this.answers.length > 0) {
      this.commit();
      const { answers } = this;
      this.answers = [];
      await this.synced();
      const { failedSync } = this;
      this.send(failedSync ? answers.map(({ id }) => failure(id, failedSync)) : answers);
    }
  }

  private commit(): void {
    try {
      if (this.database.inTransaction) this.database.exec('COMMIT');
    } catch (error) {
      this.lose(error);
    }
  }

  private lose(error: unknown): void {
    if (this.database.inTransaction) this.database.exec('ROLLBACK');
    this.answers = this.answers.map(({ id }) => failure(id, error));
  }

  private async synced(): Promise<void> {
    if (this.failedSync) return;
    try {
      await this.sync();
    } catch (error) {
      // SQLite's own code for this.
      this.failedSync = Object.assign(error as Error, { code: 'SQLITE_IOERR_FSYNC' });
    }
  }
}

export function failure(id: number, error: unknown): SqlAnswer {
  const { code, message } = error as { code?: string; message: string };
  return { id, error: { code: code ?? 'SQLITE_ERROR', message } };
}
