import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import { DriverGate } from './driver.gate';
import { checkpointLeftoverWal } from './leftover.wal';
import { failedAnswer, GroupCommit } from './group.commit';
import { PreparedStatements } from './prepared.statements';
import {
  BUSY_TIMEOUT_MS,
  type SqlAnswer,
  type SqlCall,
  type SqlResult,
  type SqlRow,
  type SqlStep,
  type SqlValue,
  type SqlWorkerData,
} from './sql.protocol';
import { WalFile } from './wal.file';

/** The thread that owns one connection: when SQLite waits, it stalls this event loop, never the one that serves requests. */

interface Statement {
  reader: boolean;
  all(...params: SqlValue[]): SqlRow[];
  run(...params: SqlValue[]): { changes: number };
}

/** After this many calls, other work of the thread gets its turn. */
const MAX_CALLS_PER_TURN = 256;
/** Checkpoints run beside this thread; under writes without a pause only the writer itself can restart the log. */
const MAX_WAL_PAGES = 8_000;
const { path, readonly, gate: memory } = workerData as SqlWorkerData;
const port = parentPort!;
/** Whatever uses the driver passes it, step by step. */
const gate = new DriverGate(memory);
const database = gate.run(openDatabase);
const transactions = {
  get inTransaction() {
    return database.inTransaction;
  },
  exec: (sql: string) => gate.run(() => database.exec(sql)),
};

function openDatabase(): Database.Database {
  try {
    const opened = new Database(path);
    opened.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (readonly) opened.pragma('query_only = ON');
    else opened.pragma('journal_mode = WAL');
    // The file is consistent after a power cut in any case; for durability, `GroupCommit` syncs before it answers.
    opened.pragma('synchronous = NORMAL');
    opened.pragma(`wal_autocheckpoint = ${MAX_WAL_PAGES}`);
    opened.pragma('cache_size = -8000');
    opened.pragma('temp_store = MEMORY');
    if (!readonly) checkpointLeftoverWal(opened);
    return opened;
  } catch (error) {
    // The driver's own errors lose their text on the way to another thread.
    const { code, message } = error as { code?: string; message: string };
    throw new Error(`${path} cannot be used (${[code, message].filter(Boolean).join(': ')})`);
  }
}

const statements = new PreparedStatements((sql) => database.prepare(sql) as unknown as Statement);

function runStep(step: SqlStep): SqlResult {
  const query = statements.of(step);
  const result: SqlResult = { rows: [], changes: [] };
  for (const params of step.rows) {
    if (query.reader) {
      const rows = query.all(...params);
      for (const row of rows) result.rows.push(row);
      result.changes.push(rows.length);
    } else {
      result.changes.push(query.run(...params).changes);
    }
  }
  return result;
}

const runSteps = ({ steps }: SqlCall): SqlResult[] => steps.map((step) => gate.run(() => runStep(step)));

function runCall(call: SqlCall): SqlAnswer {
  if (readonly) return { id: call.id, results: runSteps(call) };
  transactions.exec('SAVEPOINT call');
  try {
    const results = runSteps(call);
    transactions.exec('RELEASE call');
    return { id: call.id, results };
  } catch (error) {
    // When the disk is full or fails, SQLite gives up the whole transaction, and the savepoint with it.
    if (!database.inTransaction) throw error;
    transactions.exec('ROLLBACK TO call');
    transactions.exec('RELEASE call');
    return failedAnswer(call.id, error);
  }
}

let isClosing = false;

/** The next call, if one has already arrived. */
function nextCall(): SqlCall | undefined {
  const message = (receiveMessageOnPort(port) as { message: SqlCall | 'close' } | undefined)?.message;
  if (message === 'close') isClosing = true;
  return message === 'close' ? undefined : message;
}

/** `first` and the calls that arrive while earlier ones run. */
function* callsFrom(first: SqlCall): Generator<SqlCall> {
  let next: SqlCall | undefined = first;
  for (let count = 1; next; count += 1) {
    yield next;
    next = count < MAX_CALLS_PER_TURN ? nextCall() : undefined;
  }
}

function answerEach(first: SqlCall): SqlAnswer[] {
  return Array.from(callsFrom(first), (call) => {
    try {
      return runCall(call);
    } catch (error) {
      return failedAnswer(call.id, error);
    }
  });
}

const wal = new WalFile(`${path}-wal`);
const groupCommit = new GroupCommit(
  transactions,
  runCall,
  () => wal.sync(),
  (answers) => port.postMessage(answers),
);

function handleCalls(first: SqlCall): void {
  if (readonly) port.postMessage(answerEach(first));
  else groupCommit.runCalls(callsFrom(first));
}

async function close(): Promise<void> {
  await groupCommit.settled();
  wal.close();
  gate.run(() => database.close());
  port.close();
}

port.on('message', (first: SqlCall | 'close') => {
  if (first === 'close') isClosing = true;
  else handleCalls(first);
  if (isClosing) void close();
});
