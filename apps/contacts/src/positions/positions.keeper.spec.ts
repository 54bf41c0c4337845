import { StoreUnavailable } from '@lettermill/storage';
import { createLogger } from '@lettermill/runtime';
import type { ReachedPosition } from './reach';
import { ReachKeeper } from './reach.keeper';
import type { ReachStore } from './reach.store';

const MINUTE = 60_000;

/** Records what the store is given; the store refuses while `at.away` is set. */
function newKeeper() {
  const written: ReachedPosition[][] = [];
  const at = { now: 1_000_000, away: false };
  const advance = (reached: ReachedPosition[]) => {
    if (at.away) return Promise.reject(new StoreUnavailable('away'));
    return Promise.resolve(void written.push(reached));
  };
  const keeper = new ReachKeeper({ advance } as unknown as ReachStore, () => at.now, createLogger('silent'));
  const note = (...all: [partition: number, position: number][]) =>
    keeper.markApplied(
      all.map(([partition, position]) => ({
        id: `${partition}/${position}`,
        topic: 'message-requested',
        partition,
        position,
      })),
    );
  return { at, written, keeper, note };
}

const reached = (partition: number, position: number) => ({
  place: `${partition}`,
  position,
  eventId: `${partition}/${position}`,
});
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe('ReachKeeper', () => {
  it('writes with the first batch, then at most once a minute, and at shutdown', async () => {
    const { at, written, keeper, note } = newKeeper();
    note([0, 0], [0, 1], [1, 7]);
    await nextTick();
    expect(written).toEqual([[reached(0, 1), reached(1, 7)]]);
    for (let i = 2; i < 100; i += 1) note([0, i]);
    at.now += MINUTE - 1;
    note([0, 100]);
    await nextTick();
    expect(written).toHaveLength(1);
    at.now += 1;
    note([0, 101]);
    await nextTick();
    expect(written.slice(1)).toEqual([[reached(0, 101)]]);
    note([1, 8]);
    await keeper.onApplicationShutdown();
    expect(written.slice(2)).toEqual([[reached(1, 8)]]);
  });

  it('writes nothing if nothing was applied, and no position twice', async () => {
    const { at, written, keeper, note } = newKeeper();
    note();
    note([0, 5]);
    await nextTick();
    at.now += MINUTE;
    note([0, 5], [0, 4]);
    await keeper.onApplicationShutdown();
    expect(written).toEqual([[reached(0, 5)]]);
    expect(keeper.ownPositions()).toEqual([reached(0, 5)]);
  });

  it('loses nothing while the store is unavailable, and does not fail', async () => {
    const { at, written, keeper, note } = newKeeper();
    at.away = true;
    note([0, 5], [1, 5]);
    await nextTick();
    at.away = false;
    at.now += MINUTE;
    note([1, 6]);
    await nextTick();
    expect(written).toEqual([[reached(0, 5), reached(1, 6)]]);
    at.away = true;
    note([1, 7]);
    await keeper.onApplicationShutdown();
  });
});
