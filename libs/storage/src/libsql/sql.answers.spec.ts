import type * as events from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from './sql.database';
import type { SqlAnswer, SqlCall, SqlWorkerData } from './sql.protocol';

/** What the writing thread answers, how many calls have reached any, and how the writing one was ended. */
const mockThreads = { code: '', calls: 0, end: '' };

jest.mock('node:worker_threads', () => {
  const { EventEmitter } = jest.requireActual<typeof events>('node:events');
  return {
    Worker: class extends EventEmitter {
      private readonly readonly: boolean;

      constructor(_file: string, { workerData }: { workerData: SqlWorkerData }) {
        super();
        this.readonly = workerData.readonly;
      }

      postMessage(call: SqlCall | 'close'): void {
        if (call === 'close') return this.end('closed');
        mockThreads.calls += 1;
        const code = this.readonly ? '' : mockThreads.code;
        const answer: SqlAnswer = code ? { id: call.id, error: { code, message: 'no' } } : { id: call.id, results: [] };
        setImmediate(() => this.emit('message', [answer]));
      }

      terminate(): void {
        this.end('terminated');
      }

      private end(how: string): void {
        if (!this.readonly) mockThreads.end = how;
        setImmediate(() => this.emit('exit'));
      }
    },
  };
});

describe('a refusal of the database', () => {
  const STEPS = [{ sql: 'SELECT 1', rows: [[]] }];
  let directory: string;
  let database: SqlDatabase;
  let broken: Error[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lettermill-answers-'));
    broken = [];
    mockThreads.calls = 0;
    database = new SqlDatabase(join(directory, 'test.db'), (error) => broken.push(error));
  });
  afterEach(async () => {
    mockThreads.code = '';
    await database.close();
    rmSync(directory, { recursive: true });
  });

  it.each([
    ['SQLITE_BUSY', true],
    ['SQLITE_BUSY_SNAPSHOT', true],
    ['SQLITE_FULL', true],
    ['SQLITE_CANTOPEN_ISDIR', true],
    ['SQLITE_CONSTRAINT_UNIQUE', false],
    ['SQLITE_ERROR', false],
  ])('with %s is worth another try: %s', async (code, retryable) => {
    mockThreads.code = code;
    await expect(database.write(STEPS)).rejects.toMatchObject({ retryable });
    mockThreads.code = '';
    await database.write(STEPS);
    expect(broken).toEqual([]);
  });

  it.each([
    ['SQLITE_IOERR_FSYNC', true],
    ['SQLITE_IOERR_WRITE', true],
    ['SQLITE_CORRUPT_VTAB', false],
    ['SQLITE_NOTADB', false],
  ])('with %s is reported once, and nothing more is written', async (code, retryable) => {
    mockThreads.code = code;
    const refused = [database.write(STEPS), database.write(STEPS)];
    await Promise.all(refused.map((call) => expect(call).rejects.toMatchObject({ retryable })));
    mockThreads.code = '';
    await expect(database.write(STEPS)).rejects.toThrow(code);
    await database.close();
    // To close the database would write to it.
    expect([mockThreads.calls, broken.length, mockThreads.end]).toEqual([2, 1, 'terminated']);
  });

  it('to write is noticed by a check, although it can be read', async () => {
    mockThreads.code = 'SQLITE_FULL';
    await expect(database.check()).rejects.toMatchObject({ retryable: true });
  });
});
