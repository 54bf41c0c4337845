import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import type { SqlAnswer, SqlCall, SqlResult, SqlRow, SqlStep, SqlValue, SqlWorkerData } from './sql.protocol';

/** The thread that owns one connection: fsyncs and checkpoints stall this loop, never the one that serves requests. */

interface Statement {
  reader: boolean;
  all(...params: SqlValue[]): SqlRow[];
  run(...params: SqlValue[]): { changes: number };
}

const MAX_CALLS_PER_COMMIT = 256;
const { path, readonly } = workerData as SqlWorkerData;
const port = parentPort!;
const database = open();

function open(): Database.Database {
  try {
    const opened = new Database(path);
    opened.pragma('busy_timeout = 10000');
    if (readonly) opened.pragma('query_only = ON');
    else opened.pragma('journal_mode = WAL');
    opened.pragma('synchronous = FULL');
    opened.pragma('cache_size = -8000');
    opened.pragma('temp_store = MEMORY');
    return opened;
  } catch (error) {
    // The driver's own errors lose their text on the way to another thread.
    const { code, message } = error as { code?: string; message: string };
    throw new Error(`${path} can not be used (${[code, message].filter(Boolean).join(': ')})`);
  }
}

const prepared = new Map<string, Statement>();

function statement(sql: string): Statement {
  let found = prepared.get(sql);
  if (!found) {
    found = database.prepare(sql) as unknown as Statement;
    prepared.set(sql, found);
  }
  return found;
}

function runStep(step: SqlStep): SqlResult {
  const prepared = statement(step.sql);
  const result: SqlResult = { rows: [], changes: [] };
  for (const params of step.rows) {
    if (prepared.reader) {
      const rows = prepared.all(...params);
      for (const row of rows) result.rows.push(row);
      result.changes.push(rows.length);
    } else {
      result.changes.push(prepared.run(...params).changes);
    }
  }
  return result;
}

function failure(id: number, error: unknown): SqlAnswer {
  const { code, message } = error as { code?: string; message: string };
  return { id, error: { code: code ?? 'SQLITE_ERROR', message } };
}

function runCall(call: SqlCall): SqlAnswer {
  if (readonly) return { id: call.id, results: call.steps.map(runStep) };
  database.exec('SAVEPOINT call');
  try {
    const results = call.steps.map(runStep);
    database.exec('RELEASE call');
    return { id: call.id, results };
  } catch (error) {
    database.exec('ROLLBACK TO call');
    database.exec('RELEASE call');
    return failure(call.id, error);
  }
}

let closing = false;

/** The next call that has arrived by now. */
function nextCall(): SqlCall | undefined {
  const message = (receiveMessageOnPort(port) as { message: SqlCall | 'close' } | undefined)?.message;
  if (message === 'close') closing = true;
  return message === 'close' ? undefined : message;
}

/** `first` and all that arrive while others are being worked at. */
function* callsFrom(first: SqlCall): Generator<SqlCall> {
  let next: SqlCall | undefined = first;
  for (let count = 1; next; count += 1) {
    yield next;
    next = count < MAX_CALLS_PER_COMMIT && !closing ? nextCall() : undefined;
  }
}

function answerEach(first: SqlCall): SqlAnswer[] {
  return Array.from(callsFrom(first), (call) => {
    try {
      return runCall(call);
    } catch (error) {
      return failure(call.id, error);
    }
  });
}

/** What is there by the time of the commit shares it, and with it one fsync; each call is still all or nothing by itself. */
function commitTogether(first: SqlCall): SqlAnswer[] {
  const calls: SqlCall[] = [];
  const answers: SqlAnswer[] = [];
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const call of callsFrom(first)) {
      calls.push(call);
      answers.push(runCall(call));
    }
    database.exec('COMMIT');
    return answers;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    return (calls.length > 0 ? calls : [first]).map((call) => failure(call.id, error));
  }
}

port.on('message', (first: SqlCall | 'close') => {
  if (first === 'close') closing = true;
  else port.postMessage(readonly ? answerEach(first) : commitTogether(first));
  if (closing) {
    database.close();
    port.close();
  }
});
