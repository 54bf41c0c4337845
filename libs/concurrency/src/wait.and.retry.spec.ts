import { getEventListeners, getMaxListeners } from 'node:events';
import { withTimeout, isRetryable, pause, retryWhileUnavailable, waitAtMost } from './wait.and.retry';

const UNAVAILABLE = Object.assign(new Error('away'), { retryable: true });
const neverSettles = () => new Promise<never>(() => {});

/** Whether the work settles after `ms` milliseconds, and no sooner. */
async function settlesAfter(ms: number, work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  work.then(
    () => (settled = true),
    () => (settled = true),
  );
  await jest.advanceTimersByTimeAsync(ms - 1);
  const early = settled;
  await jest.advanceTimersByTimeAsync(1);
  return settled && !early;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('a pause', () => {
  it('lasts for the given time', async () => {
    expect(await settlesAfter(50, pause(50))).toBe(true);
  });

  it('ends when its signal is aborted, before or during the pause', async () => {
    const leaving = new AbortController();
    const paused = pause(50, leaving.signal);
    leaving.abort();
    await paused;
    await pause(50, leaving.signal);
  });

  it('may share its signal with any number of others without a warning of Node', async () => {
    const leaving = new AbortController();
    const paused = Array.from({ length: 20 }, () => pause(50, leaving.signal));
    expect(getMaxListeners(leaving.signal)).toBe(Infinity);
    await jest.advanceTimersByTimeAsync(50);
    await Promise.all(paused);
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
  });
});

describe('waiting with a limit', () => {
  it('waitAtMost ends with the work, however that ends, or after the limit', async () => {
    await waitAtMost(50, Promise.resolve('done'));
    await waitAtMost(50, Promise.reject(new Error('failed')));
    expect(jest.getTimerCount()).toBe(0);
    expect(await settlesAfter(50, waitAtMost(50, neverSettles()))).toBe(true);
  });

  it('withTimeout settles like the work, or rejects after the limit', async () => {
    expect(await withTimeout(50, Promise.resolve('done'))).toBe('done');
    await expect(withTimeout(50, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(jest.getTimerCount()).toBe(0);
    const late = expect(withTimeout(50, neverSettles())).rejects.toThrow('no answer within 50 ms');
    await jest.advanceTimersByTimeAsync(50);
    await late;
  });
});

describe('an unavailable dependency', () => {
  it('is recognized by its error', () => {
    const others = [new Error('a defect'), { ...UNAVAILABLE, retryable: false }, undefined, null, 'away'];
    expect([UNAVAILABLE, ...others].map(isRetryable)).toEqual([true, ...Array(5).fill(false)]);
  });

  it('is retried at growing intervals until it is available', async () => {
    const times: number[] = [];
    const work = retryWhileUnavailable(() => {
      times.push(Date.now());
      return times.length < 9 ? Promise.reject(UNAVAILABLE) : Promise.resolve('there');
    }, new AbortController().signal);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await work).toBe('there');
    const waits = times.slice(1).map((time, at) => time - times[at]!);
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('is no longer retried once the signal is aborted; other errors are never retried', async () => {
    const defect = new Error('a defect');
    const { signal } = new AbortController();
    await expect(retryWhileUnavailable(() => Promise.reject(defect), signal)).rejects.toBe(defect);
    const leaving = new AbortController();
    const work = retryWhileUnavailable(() => Promise.reject(UNAVAILABLE), leaving.signal);
    leaving.abort();
    await expect(work).rejects.toBe(UNAVAILABLE);
  });
});
