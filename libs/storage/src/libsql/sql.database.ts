import { Worker } from 'node:worker_threads';
import { workerFile } from '@lettermill/concurrency';
import { StoreFault, StoreUnavailable } from '../faults';
import { Searches } from '../searches';
import { reportMigration } from '../migration.report';
import { Checkpoints } from './checkpoints';
import { closeGateAtExit, DriverGate, forgetGate } from './driver.gate';
import { restrictToOwner } from './owner.only';
import type { SqlAnswer, SqlCall, SqlResult, SqlRow, SqlStep, SqlValue, SqlWorkerData } from './sql.protocol';
import { mustBeReadable } from '../unknown.migrations';

/** Rows are short-lived: a small young generation keeps the thread's memory low, at no cost in speed. */
const THREAD_MEMORY_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };

/** The disk failed during a write, or holds what was never written: nobody knows what it will hold next. */
const BROKEN_DISK_CODES = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** Called when the disk can no longer be trusted: the owner of the database ends the process. */
export type OnBroken = (error: Error) => void;

const TRANSIENT_CODES = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN']);

function faultOf({ code, message }: { code: string; message: string }): Error {
  const isTransient = [...TRANSIENT_CODES].some((known) => code.startsWith(known));
  return isTransient ? new StoreUnavailable(`${code}: ${message}`) : new StoreFault(`${code}: ${message}`);
}

interface PendingCall {
  resolve(results: SqlResult[]): void;
  reject(error: Error): void;
}

/** One connection in a thread of its own. */
class SqlThread {
  private readonly worker: Worker;
  private readonly pendingCalls = new Map<number, PendingCall>();
  private readonly exited: Promise<void>;
  private nextId = 0;
  private failure: Error | undefined;
  private closing = false;

  constructor(
    data: Omit<SqlWorkerData, 'gate'>,
    private readonly onBroken?: OnBroken,
  ) {
    const gate = new DriverGate();
    closeGateAtExit(gate);
    this.worker = new Worker(workerFile(__dirname, 'sql.worker'), {
      workerData: { ...data, gate: gate.memory } satisfies SqlWorkerData,
      resourceLimits: THREAD_MEMORY_LIMITS,
    });
    this.worker.on('message', (answers: SqlAnswer[]) => answers.forEach((answer) => this.settle(answer)));
    this.worker.on('error', (error) =>
      this.failAsBroken(new StoreUnavailable(`the store's thread ended: ${error.message}`)),
    );
    this.exited = new Promise((resolve) => {
      this.worker.on('exit', () => {
        forgetGate(gate);
        this.fail(new StoreUnavailable('the store is closed'));
        resolve();
      });
    });
  }

  call(steps: SqlStep[]): Promise<SqlResult[]> {
    if (this.failure) return Promise.reject(this.failure);
    // Nothing may follow the message to close: the driver ends the process when a closed database is used.
    if (this.closing) return Promise.reject(new StoreUnavailable('the store is closing'));
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.pendingCalls.set(id, { resolve, reject });
      this.worker.postMessage({ id, steps } satisfies SqlCall);
    });
  }

  /** Rows of one query. */
  async rowsOf(query: SqlStep): Promise<SqlRow[]> {
    const [result] = await this.call([query]);
    return result!.rows;
  }

  /** Refuses calls at once, and closes the connection after `others`. */
  async close(others?: Promise<unknown>): Promise<void> {
    const isFirst = !this.closing;
    this.closing = true;
    await others;
    // To close the database would write to it: not to a disk that failed.
    if (this.failure) await this.worker.terminate();
    else if (isFirst) this.worker.postMessage('close');
    await this.exited;
  }

  private settle({ id, results, error }: SqlAnswer): void {
    const caller = this.pendingCalls.get(id);
    this.pendingCalls.delete(id);
    if (!error) return caller?.resolve(results ?? []);
    const reason = faultOf(error);
    // After a failed sync the kernel may have dropped the pages and may report success the next time: nothing more is written.
    if (BROKEN_DISK_CODES.some((known) => error.code.startsWith(known))) this.failAsBroken(reason);
    caller?.reject(reason);
  }

  private failAsBroken(error: Error): void {
    const first = !this.failure;
    this.fail(error);
    if (first) this.onBroken?.(error);
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const caller of this.pendingCalls.values()) caller.reject(error);
    this.pendingCalls.clear();
  }
}

/** A change of a feature's tables. Names are unique within the feature and applied in the order given. */
export interface SqlMigration {
  name: string;
  statements: string[];
}

/**
 * An SQLite file (libsql) with a write-ahead log. Writes run in one thread, reads in another, checkpoints and searches
 * in a third. Writes that wait share a commit and its sync, so that callers need not batch for speed.
 */
export class SqlDatabase {
  private readonly writer: SqlThread;
  private readonly reader: SqlThread;
  private readonly background: SqlThread;
  private readonly checkpoints: Checkpoints;
  /** One after another, as one thread runs them: a search that waits there could not be dropped any more. */
  private readonly searches = new Searches(1);

  /** `onBroken` is called once per thread; the thread then refuses every call. */
  constructor(path: string, onBroken?: OnBroken) {
    restrictToOwner(path);
    this.writer = new SqlThread({ path, readonly: false }, onBroken);
    this.reader = new SqlThread({ path, readonly: true }, onBroken);
    this.background = new SqlThread({ path, readonly: true }, onBroken);
    this.checkpoints = new Checkpoints((steps) => this.background.call(steps));
  }

  /** Runs the steps as one transaction: all or nothing, and durable when it resolves. Rejects with `StoreUnavailable` or `StoreFault`. */
  async write(steps: SqlStep[]): Promise<SqlResult[]> {
    const results = await this.writer.call(steps);
    this.checkpoints.countChanges(results);
    return results;
  }

  /** Rows of one query over what is committed; the latest commit may not be durable yet. */
  read(sql: string, params: SqlValue[] = []): Promise<SqlRow[]> {
    return this.reader.rowsOf({ sql, rows: [params] });
  }

  /** As `read`, for a query whose text varies with what somebody asks for. */
  readVaried(sql: string, params: SqlValue[] = []): Promise<SqlRow[]> {
    return this.reader.rowsOf({ sql, rows: [params], varied: true });
  }

  /**
   * Rows of one query that may walk many rows, for somebody who searches: the reads that mails wait for do not wait for
   * it. Rejects with `StoreUnavailable` when earlier searches took so long that nobody waits for this one any more.
   */
  search(sql: string, params: SqlValue[] = []): Promise<SqlRow[]> {
    return this.searches.run(() => this.background.rowsOf({ sql, rows: [params], varied: true }));
  }

  /**
   * Brings a feature's tables up to date; skips migrations that were applied before. Rejects with `StoreUnreadable` if the tables are those
   * of a version that this one does not know.
   */
  async migrate(feature: string, migrations: SqlMigration[]): Promise<void> {
    await this.write([
      {
        sql: `CREATE TABLE IF NOT EXISTS migrations (feature TEXT, name TEXT, applied_at TEXT, PRIMARY KEY (feature, name))`,
        rows: [[]],
      },
    ]);
    const found = await this.write([{ sql: 'SELECT name FROM migrations WHERE feature = ?', rows: [[feature]] }]);
    const applied = found[0]!.rows.map(({ name }) => ({ name: String(name) }));
    mustBeReadable(feature, applied, migrations, 'set DATA_DIR to an empty directory');
    const done = new Set(applied.map(({ name }) => name));
    for (const { name, statements } of migrations.filter((migration) => !done.has(migration.name))) {
      if (done.size > 0) reportMigration(feature, name);
      await this.write([
        ...statements.map((sql) => ({ sql, rows: [[]] })),
        { sql: `INSERT INTO migrations VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))`, rows: [[feature, name]] },
      ]);
    }
  }

  /** Rejects when the file cannot be written. */
  async check(): Promise<void> {
    await this.write([{ sql: 'SELECT 1', rows: [[]] }]);
  }

  /** The writer comes last: of connections that close at the same moment, none may find itself alone and remove the log. */
  async close(): Promise<void> {
    await this.writer.close(Promise.all([this.background.close(), this.reader.close()]));
  }
}
