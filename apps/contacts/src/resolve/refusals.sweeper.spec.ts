import type { RefusalsStore } from './refusals.store';
import { RefusalsSweeper } from './refusals.sweeper';

const DAY_MS = 86_400_000;

/** The store reports that there is more `more` times; each call is recorded. */
function newSweeper(retentionDays: number, more: number) {
  const calls: [number, number][] = [];
  const sweep = (before: number, limit: number) => Promise.resolve(calls.push([before, limit]) <= more);
  const store = { sweep } as unknown as RefusalsStore;
  return { calls, sweeper: new RefusalsSweeper(store, { retentionDays }, () => 100 * DAY_MS) };
}

describe('sweeping refusals', () => {
  it('goes on until none is older than the retention plus three days', async () => {
    const { calls, sweeper } = newSweeper(30, 2);
    await sweeper.sweep();
    expect(calls).toEqual(Array(3).fill([67 * DAY_MS, 500]));
  });

  it('keeps all if records are kept for ever', async () => {
    const { calls, sweeper } = newSweeper(0, 2);
    await sweeper.sweep();
    expect(calls).toEqual([]);
  });

  it('stops when the service shuts down', async () => {
    const { calls, sweeper } = newSweeper(30, 2);
    sweeper.beforeApplicationShutdown();
    await sweeper.sweep();
    expect(calls).toEqual([]);
  });
});
