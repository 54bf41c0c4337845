import { StoreUnavailable } from '@lettermill/storage';
import { createLogger } from '@lettermill/runtime';
import type { AppliedPosition } from './positions';
import { PositionsKeeper } from './positions.keeper';
import type { PositionsStore } from './positions.store';

const MINUTE = 60_000;

/** Records what the store is given; the store refuses while `at.away` is set. */
function newKeeper() {
  const written: AppliedPosition[][] = [];
  const at = { now: 1_000_000, away: false };
  const advance = (applied: AppliedPosition[]) => {
    if (at.away) return Promise.reject(new StoreUnavailable('away'));
    return Promise.resolve(void written.push(applied));
  };
  const keeper = new PositionsKeeper({ advance } as unknown as PositionsStore, () => at.now, createLogger('silent'));
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

const applied = (partition: number, position: number) => ({
  place: `${partition}`,
  position,
  eventId: `${partition}/${position}`,
});
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe('PositionsKeeper', () => {
  it('writes with the first batch, then at most once a minute, and at shutdown', async () => {
    const { at, written, keeper, note } = newKeeper();
    note([0, 0], [0, 1], [1, 7]);
    await nextTick();
    expect(written).toEqual([[applied(0, 1), applied(1, 7)]]);
    for (let i = 2; i < 100; i += 1) note([0, i]);
    at.now += MINUTE - 1;
    note([0, 100]);
    await nextTick();
    expect(written).toHaveLength(1);
    at.now += 1;
    note([0, 101]);
    await nextTick();
    expect(written.slice(1)).toEqual([[applied(0, 101)]]);
    note([1, 8]);
    await keeper.onApplicationShutdown();
    expect(written.slice(2)).toEqual([[applied(1, 8)]]);
  });

  it('writes within a minute also after the clock was set back', async () => {
    const { at, written, note } = newKeeper();
    note([0, 5]);
    await nextTick();
    at.now -= 60 * MINUTE;
    note([0, 6]);
    await nextTick();
    at.now += MINUTE;
    note([0, 7]);
    await nextTick();
    expect(written.at(-1)).toEqual([applied(0, 7)]);
  });

  it('writes nothing if nothing was applied, and no position twice', async () => {
    const { at, written, keeper, note } = newKeeper();
    note();
    note([0, 5]);
    await nextTick();
    at.now += MINUTE;
    note([0, 5], [0, 4]);
    await keeper.onApplicationShutdown();
    expect(written).toEqual([[applied(0, 5)]]);
    expect(keeper.ownPositions()).toEqual([applied(0, 5)]);
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
    expect(written).toEqual([[applied(0, 5), applied(1, 6)]]);
    at.away = true;
    note([1, 7]);
    await keeper.onApplicationShutdown();
  });
});
