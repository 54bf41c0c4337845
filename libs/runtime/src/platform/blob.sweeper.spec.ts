import type { BlobStore } from '@lettermill/blobs';
import type { Config } from '@lettermill/config';
import type { Logger } from '../logging/logger';
import { sweepBlobsHourly } from './blob.sweeper';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 1);

/** Sweeps for two hours; returns how many days old the removed blobs are at least (null: none is), for each sweep, and what is logged. */
async function sweepFor(retentionDays: number, removed: () => Promise<number>) {
  const sweeps: (number | null)[] = [];
  const lines: [string, unknown][] = [];
  const sweep = (before: number | null) => {
    sweeps.push(before && (Date.now() - before) / DAY_MS);
    return removed();
  };
  const logger = {
    info: (...said: unknown[]) => lines.push(['info', said[0]]),
    warn: (...said: unknown[]) => lines.push(['warn', said[0]]),
  };
  const config = { retentionDays, retryDelays: [] as number[] } as Config;
  const stop = sweepBlobsHourly({ sweep } as unknown as BlobStore, config, logger as unknown as Logger);
  await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
  stop();
  expect(jest.getTimerCount()).toBe(0);
  return { sweeps, lines };
}

describe('sweeping blobs', () => {
  beforeEach(() => jest.useFakeTimers({ now: START }));
  afterEach(() => jest.useRealTimers());

  it('is done by itself soon after the start and every hour, and logged if something was removed', async () => {
    let left = 3;
    const { sweeps, lines } = await sweepFor(30, () => Promise.resolve(left).finally(() => (left = 0)));
    expect(sweeps).toEqual([33, 33]);
    expect(lines).toEqual([['info', { removed: 3 }]]);
  });

  it('logs a failure and goes on an hour later', async () => {
    const fault = new Error('the disk is away');
    const { sweeps, lines } = await sweepFor(30, () => Promise.reject(fault));
    expect(sweeps).toHaveLength(2);
    expect(lines).toEqual(Array(2).fill(['warn', { err: fault }]));
  });

  it('removes no blob if everything is kept, only what processes left behind when they died', async () => {
    expect(await sweepFor(0, () => Promise.resolve(0))).toEqual({ sweeps: [null, null], lines: [] });
  });
});
