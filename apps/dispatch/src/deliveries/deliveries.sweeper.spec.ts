import type { Config } from '@lettermill/config';
import { DAY_MS } from '@lettermill/concurrency';
import type { DeliveryRecords, SweptBefore } from './deliveries.store';
import { DeliveriesSweeper } from './deliveries.sweeper';

const NOW = 100 * DAY_MS;

/** For each sweep, the age in days from which contents and deliveries are deleted. */
async function daysSwept(retentionDays: number): Promise<Record<string, number | null>[]> {
  const calls: SweptBefore[] = [];
  const store = {
    sweep: (before: SweptBefore) => Promise.resolve(calls.push(before) < 2),
  } as unknown as DeliveryRecords;
  const config = { retentionDays, retryDelays: [] as number[] } as Config;
  await new DeliveriesSweeper(store, config, () => NOW).sweep();
  const days = (at: number | null) => at && (NOW - at) / DAY_MS;
  return calls.map(({ contents, deliveries }) => ({ contents: days(contents), deliveries: days(deliveries) }));
}

describe('sweeping deliveries', () => {
  it('goes on until nothing is left to delete', async () => {
    expect(await daysSwept(30)).toEqual(Array(2).fill({ contents: 7, deliveries: 33 }));
    expect((await daysSwept(0))[0]).toEqual({ contents: 7, deliveries: null });
  });

  it('deletes no delivery before its content, which would stay for ever', async () => {
    expect((await daysSwept(1))[0]).toEqual({ contents: 7, deliveries: 7 });
  });
});
