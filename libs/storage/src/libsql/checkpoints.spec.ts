import { Checkpoints } from './checkpoints';
import type { SqlResult } from './sql.protocol';

const changed = (count: number): SqlResult[] => [{ rows: [], changes: [count - 1, 1] }];

describe('checkpoints', () => {
  it('start when enough has been written', async () => {
    const call = jest.fn(() => Promise.resolve());
    const checkpoints = new Checkpoints(call);
    checkpoints.countChanges(changed(1_999));
    expect(call).not.toHaveBeenCalled();
    checkpoints.countChanges(changed(2));
    expect(call).toHaveBeenCalledWith([{ sql: 'PRAGMA wal_checkpoint(PASSIVE)', rows: [[]] }]);
  });

  it('run one at a time, and go on after one that failed', async () => {
    const ends: { done(): void; fail(error: Error): void }[] = [];
    const call = jest.fn(() => new Promise<void>((done, fail) => ends.push({ done, fail })));
    const checkpoints = new Checkpoints(call);
    checkpoints.countChanges(changed(3_000));
    checkpoints.countChanges(changed(3_000));
    expect(call).toHaveBeenCalledTimes(1);
    ends[0]!.fail(new Error('the store is closing'));
    await new Promise((resolve) => setImmediate(resolve));
    checkpoints.countChanges(changed(2));
    expect(call).toHaveBeenCalledTimes(2);
  });
});
