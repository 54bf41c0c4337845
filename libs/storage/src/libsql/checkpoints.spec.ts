import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { Checkpoints } from './checkpoints';
import type { SqlResult, SqlStep } from './sql.protocol';

const changed = (count: number): SqlResult[] => [{ rows: [], changes: [count - 1, 1] }];

describe('checkpoints', () => {
  it('start when enough has been written since the last one', async () => {
    const call = jest.fn(() => Promise.resolve([]));
    const checkpoints = new Checkpoints(call);
    checkpoints.countChanges(changed(1_999));
    expect(call).not.toHaveBeenCalled();
    checkpoints.countChanges(changed(2));
    expect(call).toHaveBeenCalledTimes(1);
    await new Promise((resolve) => setImmediate(resolve));
    checkpoints.countChanges(changed(1_999));
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('run one at a time, and go on after one that failed', async () => {
    const ends: { done(): void; fail(error: Error): void }[] = [];
    const call = jest.fn(() => new Promise<SqlResult[]>((done, fail) => ends.push({ done: () => done([]), fail })));
    const checkpoints = new Checkpoints(call);
    checkpoints.countChanges(changed(3_000));
    checkpoints.countChanges(changed(3_000));
    expect(call).toHaveBeenCalledTimes(1);
    ends[0]!.fail(new Error('the store is closing'));
    await new Promise((resolve) => setImmediate(resolve));
    checkpoints.countChanges(changed(2));
    expect(call).toHaveBeenCalledTimes(2);
  });

  it('let the log begin anew when it is long, because searches have kept the writer from it', async () => {
    let frames = 8_500;
    const call = jest.fn((steps: SqlStep[]) =>
      Promise.resolve(
        steps.map((): SqlResult => ({ rows: [{ busy: 0, log: frames, checkpointed: frames }], changes: [1] })),
      ),
    );
    const checkpoints = new Checkpoints(call);
    const pragmas = async () => {
      checkpoints.countChanges(changed(3_000));
      await new Promise((resolve) => setImmediate(resolve));
      return call.mock.calls
        .splice(0)
        .flatMap(([steps]) => steps.map(({ sql }) => sql).filter((sql) => /PRAGMA/.test(sql)));
    };
    expect(await pragmas()).toEqual(['PRAGMA wal_checkpoint(PASSIVE)']);
    frames = 20_000;
    expect(await pragmas()).toEqual(['PRAGMA wal_checkpoint(PASSIVE)', 'PRAGMA wal_checkpoint(RESTART)']);
  });

  it('move what was written into a database that was not there when their connection was opened', () => {
    const directory = mkdtempSync(join(tmpdir(), 'lettermill-checkpoints-'));
    const path = join(directory, 'test.db');
    const own = new Database(path);
    own.pragma('cache_size = -8000');
    const writer = new Database(path);
    writer.pragma('journal_mode = WAL');
    writer.exec('CREATE TABLE t (n INTEGER)');
    const results: unknown[] = [];
    const call = (steps: SqlStep[]) => {
      for (const { sql } of steps) results.push(...own.prepare(sql).all());
      return Promise.resolve([]);
    };
    new Checkpoints(call).countChanges(changed(2_000));
    expect(results.at(-1)).toMatchObject({ busy: 0, checkpointed: 2 });
    own.close();
    writer.close();
    rmSync(directory, { recursive: true });
  });
});
