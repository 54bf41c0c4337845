import type { EventLog, GroupPosition, LogRecord } from '@lettermill/log';
import { ViewProgress } from './view.progress';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

/** A view in which each partition has unread records; `appended` holds when the first unread one of each was appended. */
function viewBehind(...appended: number[]) {
  const at = { now: NOW, waited: 0, inTime: false, timeoutMs: 0 };
  const positions = jest.fn((_group: string, topics: string[]) =>
    Promise.resolve([
      ...appended.map((_time, partition) => ({ topic: topics[0], partition, committed: 7, lag: 3 }) as GroupPosition),
      { topic: topics[1], partition: 0, committed: 9, lag: 0 } as GroupPosition,
    ]),
  );
  const read = jest.fn((_topic: string, partition: number, from: number, limit: number) => {
    expect([from, limit]).toEqual([7, 1]);
    return Promise.resolve([{ appendedAt: appended[partition]! } as LogRecord]);
  });
  const caughtUp = (_topics: string[], timeoutMs: number) => {
    at.waited += 1;
    at.timeoutMs = timeoutMs;
    return Promise.resolve(at.inTime);
  };
  const log: Pick<EventLog, 'positions' | 'read'> = { positions, read };
  return { at, positions, read, progress: new ViewProgress(log, 'tracker', caughtUp, () => at.now) };
}

describe('ViewProgress', () => {
  it('waits if the view has not read as far as the given time, or not by a safe margin', async () => {
    const { at, progress } = viewBehind(NOW - 5 * MINUTE);
    expect(await progress.hasRead(NOW - 4 * MINUTE)).toBe(false);
    expect(await progress.hasRead(NOW - 5 * MINUTE - MINUTE)).toBe(false);
    at.inTime = true;
    expect(await progress.hasRead(NOW)).toBe(true);
    expect(at.waited).toBe(3);
  });

  it('does not wait if every partition was read past the given time by that margin', async () => {
    const { at, progress } = viewBehind(NOW - 2 * MINUTE, NOW - 5 * MINUTE, NOW - MINUTE);
    expect(await progress.hasRead(NOW - 7 * MINUTE)).toBe(true);
    expect(at.waited).toBe(0);
    expect(await progress.hasRead(NOW - 4 * MINUTE)).toBe(false);
  });

  it('does not look how far the view has read if everything is to be read: that takes long when the log is slow', async () => {
    const { at, positions, progress } = viewBehind(NOW - 5 * MINUTE);
    positions.mockReturnValue(new Promise(() => undefined));
    expect(await progress.hasRead(Infinity)).toBe(false);
    expect([at.waited, at.timeoutMs, positions.mock.calls.length]).toEqual([1, 2_000, 0]);
  });

  it('takes two seconds at most although the log does not say how far the view has read', async () => {
    const { at, positions, progress } = viewBehind(NOW - 5 * MINUTE);
    positions.mockReturnValue(new Promise(() => undefined));
    jest.useFakeTimers();
    try {
      const answer = progress.hasRead(NOW - 9 * MINUTE);
      await jest.advanceTimersByTimeAsync(2_000);
      expect(await answer).toBe(false);
      expect([at.waited, at.timeoutMs]).toEqual([1, 0]);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('waits only for what is left of the two seconds after a slow look', async () => {
    const { at, positions, progress } = viewBehind(NOW - 5 * MINUTE);
    jest.useFakeTimers();
    try {
      positions.mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve([]), 1_500)));
      const answer = progress.hasRead(NOW);
      await jest.advanceTimersByTimeAsync(1_500);
      expect(await answer).toBe(false);
      expect(at.timeoutMs).toBe(500);
    } finally {
      jest.useRealTimers();
    }
  });

  it('reads no record if nothing is left to read, and waits for times after its last look', async () => {
    const { at, read, progress } = viewBehind();
    expect(await progress.hasRead(NOW - 2 * MINUTE)).toBe(true);
    expect(await progress.hasRead(NOW)).toBe(false);
    expect([at.waited, read.mock.calls.length]).toEqual([1, 0]);
  });

  it('looks at the positions once for all calls within a second', async () => {
    const { at, positions, progress } = viewBehind(NOW - 5 * MINUTE);
    await Promise.all([1, 2, 3].map((minutes) => progress.hasRead(NOW - minutes * MINUTE)));
    at.now += 999;
    await progress.hasRead(NOW);
    expect(positions).toHaveBeenCalledTimes(1);
    at.now += 1;
    await progress.hasRead(NOW);
    expect(positions).toHaveBeenCalledTimes(2);
  });

  it('looks at the positions again if the clock was set back', async () => {
    const { at, positions, progress } = viewBehind(NOW - 5 * MINUTE);
    await progress.hasRead(NOW);
    at.now -= MINUTE;
    await progress.hasRead(NOW);
    expect(positions).toHaveBeenCalledTimes(2);
  });
});
