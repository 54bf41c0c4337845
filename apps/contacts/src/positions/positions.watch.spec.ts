import { LogUnavailable, type EventLog, type GroupPosition, type LogRecord } from '@lettermill/log';
import { createLogger } from '@lettermill/runtime';
import { StoreAheadOfLog, type AppliedPosition } from './positions';
import { PositionsKeeper } from './positions.keeper';
import type { PositionsStore } from './positions.store';
import { PositionsWatch } from './positions.watch';

const TOPIC = 'message-requested';

/** A log of one partition with records of these ids, the first at position `low`; it does not answer if `ids` is undefined. */
function newWatch(stored: AppliedPosition[], ids: string[] | undefined, low = 0) {
  const log = { ids, asked: 0 };
  const idsOnLog = () => {
    log.asked += 1;
    if (!log.ids) throw new LogUnavailable('away');
    return log.ids;
  };
  const positions = async () => [{ topic: TOPIC, partition: 0, end: low + idsOnLog().length } as GroupPosition];
  const read = async (_topic: string, _partition: number, from: number, limit: number) => {
    const first = Math.max(from, low);
    const found = idsOnLog().slice(first - low, first - low + limit);
    return found.map((id, i) => ({ position: first + i, headers: { ce_id: id } }) as unknown as LogRecord);
  };
  const store = { load: () => Promise.resolve(stored), advance: () => Promise.resolve() } as unknown as PositionsStore;
  const logger = createLogger('silent');
  const keeper = new PositionsKeeper(store, Date.now, logger);
  const watch = new PositionsWatch(store, { positions, read } as unknown as EventLog, keeper, logger);
  return { log, keeper, watch };
}

const applied = (position: number, eventId: string): AppliedPosition => ({ place: '0', position, eventId });

describe('PositionsWatch', () => {
  const onAhead = jest.fn();
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    jest.useRealTimers();
    onAhead.mockReset();
  });

  async function beginWatch({ watch }: { watch: PositionsWatch }): Promise<void> {
    await watch.begin(onAhead);
  }

  it('begins if the log has all that was applied, or if nothing was applied yet', async () => {
    await beginWatch(newWatch([applied(1, 'b')], ['a', 'b', 'c']));
    await beginWatch(newWatch([], []));
    await beginWatch(newWatch([applied(1, 'b')], ['d'], 3));
  });

  it('does not begin with a shorter log, nor with another log that is as long', async () => {
    await expect(beginWatch(newWatch([applied(1, 'b')], ['a']))).rejects.toBeInstanceOf(StoreAheadOfLog);
    await expect(beginWatch(newWatch([applied(1, 'b')], ['x', 'y', 'z']))).rejects.toBeInstanceOf(StoreAheadOfLog);
  });

  it('waits while the log is unavailable, and stops waiting when the service shuts down', async () => {
    const waited = newWatch([applied(1, 'b')], undefined);
    const beginning = beginWatch(waited);
    await jest.advanceTimersByTimeAsync(10_000);
    waited.log.ids = ['a', 'b'];
    await jest.advanceTimersByTimeAsync(10_000);
    await beginning;
    const left = newWatch([applied(1, 'b')], undefined);
    const leaving = beginWatch(left).catch((error: Error) => error);
    await jest.advanceTimersByTimeAsync(10_000);
    left.watch.beforeApplicationShutdown();
    expect(await leaving).toBeInstanceOf(LogUnavailable);
  });

  it('checks the log before records that are read again, and rejects them as retryable if it is another log', async () => {
    const watched = newWatch([], ['a', 'b', 'c']);
    const { log, watch } = watched;
    const at = (position: number) => ({ id: 'abc'[position]!, topic: TOPIC, partition: 0, position });
    await beginWatch(watched);
    await watch.checkBefore([at(0), at(1)]);
    watched.keeper.markApplied([at(0), at(1)]);
    const { asked } = log;
    await watch.checkBefore([at(2)]);
    expect(log.asked).toBe(asked);
    // A record that is read again.
    await watch.checkBefore([at(1), at(2)]);
    expect(log.asked).toBeGreaterThan(asked);
    log.ids = undefined;
    await expect(watch.checkBefore([at(0)])).rejects.toBeInstanceOf(LogUnavailable);
    expect(onAhead).not.toHaveBeenCalled();
    log.ids = ['d'];
    await expect(watch.checkBefore([at(0)])).rejects.toMatchObject({ retryable: true });
    expect(onAhead.mock.calls).toEqual([[expect.any(StoreAheadOfLog)]]);
    watch.beforeApplicationShutdown();
  });

  it('reports another log that has grown past what was applied: within a minute, and before records that are read again', async () => {
    const watched = newWatch([], ['a', 'b', 'c']);
    await beginWatch(watched);
    watched.keeper.markApplied([{ id: 'c', topic: TOPIC, partition: 0, position: 2 }]);
    watched.log.ids = ['a', 'b', 'new', 'later'];
    await jest.advanceTimersByTimeAsync(60_000);
    expect(onAhead.mock.calls).toEqual([[expect.any(StoreAheadOfLog)]]);
    expect((onAhead.mock.calls as [[StoreAheadOfLog]])[0][0].message).toContain('another record lies there');
    await expect(watched.watch.checkBefore([{ topic: TOPIC, partition: 0, position: 2 }])).rejects.toMatchObject({
      retryable: true,
    });
    watched.watch.beforeApplicationShutdown();
  });

  it('compares only records of the partitions that events are of before these are applied: each takes a request', async () => {
    const watched = newWatch([], ['a', 'x']);
    await beginWatch(watched);
    watched.keeper.markApplied([{ id: 'b', topic: TOPIC, partition: 0, position: 1 }]);
    await watched.watch.checkBefore([{ topic: TOPIC, partition: 1, position: 0 }]);
    const before = watched.watch.checkBefore([{ topic: TOPIC, partition: 0, position: 1 }]);
    await expect(before).rejects.toMatchObject({ retryable: true });
    watched.watch.beforeApplicationShutdown();
  });

  it('checks the log before the first records of a partition since the process started', async () => {
    const watched = newWatch([applied(1, 'b')], ['a', 'b']);
    await beginWatch(watched);
    watched.log.ids = ['d'];
    const first = { topic: TOPIC, partition: 0, position: 0 };
    await expect(watched.watch.checkBefore([first])).rejects.toMatchObject({ retryable: true });
    expect(onAhead.mock.calls).toEqual([[expect.any(StoreAheadOfLog)]]);
    watched.watch.beforeApplicationShutdown();
  });

  it('checks the log once a minute, and reports one that ends before what this process has applied', async () => {
    const watched = newWatch([applied(0, 'a')], ['a', 'b', 'c']);
    await beginWatch(watched);
    watched.keeper.markApplied([{ id: 'c', topic: TOPIC, partition: 0, position: 2 }]);
    await jest.advanceTimersByTimeAsync(60_000);
    watched.log.ids = undefined;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(onAhead).not.toHaveBeenCalled();
    watched.log.ids = ['a', 'b'];
    await jest.advanceTimersByTimeAsync(60_000);
    expect(onAhead.mock.calls).toEqual([[expect.any(StoreAheadOfLog)]]);
    expect((onAhead.mock.calls as [[StoreAheadOfLog]])[0][0].partitions).toEqual([
      { topic: TOPIC, partition: 0, applied: 2, end: 2 },
    ]);
    watched.watch.beforeApplicationShutdown();
    const { asked } = watched.log;
    await jest.advanceTimersByTimeAsync(600_000);
    expect(watched.log.asked).toBe(asked);
  });
});
