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
    let frames = 0;
    const call = jest.fn((steps: SqlStep[]) =>
      Promise.resolve(
        steps.map((): SqlResult => ({ rows: [{ busy: 0, log: frames, checkpointed: frames }], changes: [1] })),
      ),
    );
    const checkpoints = new Checkpoints(call);
    const pragmasAt = async (pages: number) => {
      frames = pages;
      checkpoints.countChanges(changed(3_000));
      await new Promise((resolve) => setImmediate(resolve));
      const steps = call.mock.calls.splice(0).flatMap(([one]) => one);
      return steps.flatMap(({ sql }) => /^PRAGMA (.*)/.exec(sql)?.[1] ?? []);
    };
    const beginsAnewAt = async (pages: number) => (await pragmasAt(pages)).includes('wal_checkpoint(RESTART)');
    // The writer waits for it: if another program reads from the log, not for as long as that.
    const patience = ['busy_timeout = 100', 'busy_timeout = 10000'];
    const expected = ['wal_checkpoint(PASSIVE)', patience[0], 'wal_checkpoint(RESTART)', patience[1]];
    expect(await pragmasAt(13_000)).toEqual(expected);
    expect(await beginsAnewAt(0)).toBe(false);
    expect([await beginsAnewAt(8_500), await beginsAnewAt(13_000)]).toEqual([false, true]);
    // Somebody else kept it from that: it is not tried again at each checkpoint.
    expect([await beginsAnewAt(20_000), await beginsAnewAt(26_000)]).toEqual([false, true]);
    expect([await beginsAnewAt(3_000), await beginsAnewAt(13_000)]).toEqual([false, true]);
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
