import { LogUnavailable, type EventLog, type GroupPosition } from '@lettermill/log';
import { StoreUnavailable } from '@lettermill/storage';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { forgetPositions, StoreNotAhead } from './positions.forget';
import { LibsqlPositionsStore } from './positions.store.libsql';

const TOPIC = 'message-requested';

/** A log of one partition with this end; the id of each record is its position. */
function logUpTo(end: number) {
  const positions = () => Promise.resolve([{ topic: TOPIC, partition: 0, end } as GroupPosition]);
  const read = (_topic: string, partition: number, position: number) =>
    Promise.resolve([{ partition, position, headers: { ce_id: `${position}` } }]);
  return { positions, read } as unknown as EventLog;
}

describe('forgetting the positions of a log that is gone', () => {
  const forgetApplied = jest.fn(() => Promise.resolve());
  let store: LibsqlPositionsStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    const opened = await openDatabase();
    close = opened.close;
    store = new LibsqlPositionsStore(opened.database);
    await store.migrate();
    await store.advance([{ place: '0', position: 4, eventId: '4' }]);
    forgetApplied.mockReset();
  });
  afterEach(() => close());

  it('is refused while the log still has what was applied', async () => {
    await expect(forgetPositions(logUpTo(5), { forgetApplied }, store)).rejects.toBeInstanceOf(StoreNotAhead);
    expect(forgetApplied).not.toHaveBeenCalled();
    expect(await store.load()).toHaveLength(1);
  });

  it('succeeds if the log is shorter, and is refused the second time', async () => {
    const forgotten = await forgetPositions(logUpTo(4), { forgetApplied }, store);
    expect(forgotten).toEqual([{ topic: TOPIC, partition: 0, applied: 4, end: 4 }]);
    expect(forgetApplied).toHaveBeenCalledTimes(1);
    expect(await store.load()).toEqual([]);
    await expect(forgetPositions(logUpTo(4), { forgetApplied }, store)).rejects.toBeInstanceOf(StoreNotAhead);
  });

  it('waits while the log or the store is unavailable', async () => {
    const log = logUpTo(4);
    const away = () => Promise.reject(new LogUnavailable('away'));
    const positions = jest.fn(log.positions.bind(log)).mockImplementationOnce(away);
    forgetApplied.mockRejectedValueOnce(new StoreUnavailable('away'));
    expect(await forgetPositions({ positions, read: log.read.bind(log) }, { forgetApplied }, store)).toHaveLength(1);
    expect([positions.mock.calls.length, forgetApplied.mock.calls.length, await store.load()]).toEqual([2, 2, []]);
  });

  it('can be repeated after an interruption', async () => {
    forgetApplied.mockRejectedValueOnce(new Error('cut short'));
    await expect(forgetPositions(logUpTo(0), { forgetApplied }, store)).rejects.toThrow('cut short');
    expect(await forgetPositions(logUpTo(0), { forgetApplied }, store)).toHaveLength(1);
  });
});
