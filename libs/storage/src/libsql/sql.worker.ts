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
const database = new Database(path);
database.pragma('busy_timeout = 10000');
if (readonly) database.pragma('query_only = ON');
else database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.pragma('cache_size = -8000');
database.pragma('temp_store = MEMORY');

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

/** All calls that wait share one commit, and with it one fsync; each is still all or nothing by itself. */
function runTogether(calls: SqlCall[]): SqlAnswer[] {
  if (readonly) {
    return calls.map((call) => {
      try {
        return runCall(call);
      } catch (error) {
        return failure(call.id, error);
      }
    });
  }
  try {
    database.exec('BEGIN IMMEDIATE');
    const answers = calls.map(runCall);
    database.exec('COMMIT');
    return answers;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    return calls.map((call) => failure(call.id, error));
  }
}

port.on('message', (first: SqlCall | 'close') => {
  const calls: SqlCall[] = [];
  let next: SqlCall | 'close' | undefined = first;
  while (next !== undefined && next !== 'close') {
    calls.push(next);
    next =
      calls.length < MAX_CALLS_PER_COMMIT
        ? (receiveMessageOnPort(port) as { message: SqlCall | 'close' } | undefined)?.message
        : undefined;
  }
  if (calls.length > 0) port.postMessage(runTogether(calls));
  if (next === 'close') {
    database.close();
    port.close();
  }
});
