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
  private unsentAnswers: SqlAnswer[] = [];
  private flushing: Promise<void> | undefined;
  private failedSync: Error | undefined;

  constructor(
    private readonly database: Transactions,
    private readonly runCall: RunCall,
    private readonly sync: () => Promise<void>,
    private readonly send: (answers: SqlAnswer[]) => void,
  ) {}

  runCalls(calls: Iterable<SqlCall>): void {
    for (const call of calls) this.runInTransaction(call);
    this.flushing ??= this.flush().finally(() => (this.flushing = undefined));
  }

  /** Waits until all calls are answered. */
  async settled(): Promise<void> {
    await this.flushing;
  }

  private runInTransaction(call: SqlCall): void {
    try {
      if (!this.database.inTransaction) this.database.exec('BEGIN IMMEDIATE');
      this.unsentAnswers.push(this.runCall(call));
    } catch (error) {
      this.unsentAnswers.push({ id: call.id });
      this.rollBack(error);
    }
  }

  private async flush(): Promise<void> {
    while (this.unsentAnswers.length > 0) {
      this.commit();
      const { unsentAnswers: answers } = this;
      this.unsentAnswers = [];
      await this.syncUnlessFailed();
      const { failedSync } = this;
      this.send(failedSync ? answers.map(({ id }) => failedAnswer(id, failedSync)) : answers);
    }
  }

  private commit(): void {
    try {
      if (this.database.inTransaction) this.database.exec('COMMIT');
    } catch (error) {
      this.rollBack(error);
    }
  }

  private rollBack(error: unknown): void {
    if (this.database.inTransaction) this.database.exec('ROLLBACK');
    this.unsentAnswers = this.unsentAnswers.map(({ id }) => failedAnswer(id, error));
  }

  private async syncUnlessFailed(): Promise<void> {
    if (this.failedSync) return;
    try {
      await this.sync();
    } catch (error) {
      // SQLite's own code for this.
      this.failedSync = Object.assign(error as Error, { code: 'SQLITE_IOERR_FSYNC' });
    }
  }
}

export function failedAnswer(id: number, error: unknown): SqlAnswer {
  const { code, message } = error as { code?: string; message: string };
  return { id, error: { code: code ?? 'SQLITE_ERROR', message } };
}
