import { DAY_MS, type Config } from '@lettermill/runtime';
import type { DeliveryRecords, SweptBefore } from './deliveries.store';
import { DeliveriesSweeper } from './deliveries.sweeper';

const NOW = 100 * DAY_MS;

/** How old what is forgotten is, in days; null: nothing is. */
async function forgotten(retentionDays: number, ...retryDays: number[]) {
  const calls: SweptBefore[] = [];
  const store = {
    sweep: (before: SweptBefore) => Promise.resolve(calls.push(before) > 1),
  } as unknown as DeliveryRecords;
  const config = { retentionDays, retryDelays: retryDays.map((days) => days * 86_400) } as Config;
  await new DeliveriesSweeper(store, config, () => NOW).sweep();
  const days = (at: number | null) => (at === null ? null : Math.round((NOW - at) / DAY_MS));
  return calls.map(({ contents, deliveries }) => [days(contents), days(deliveries)]);
}

describe('sweeping deliveries', () => {
  it('keeps what can be retried for a week after the last retry, however long the retries take', async () => {
    expect(await forgotten(30)).toEqual([[7, 33]]);
    expect(await forgotten(30, 10)).toEqual([[18, 33]]);
    expect(await forgotten(0, 10, 10)).toEqual([[29, null]]);
  });

  it('knows no delivery for less long than what it was to send, which would stay for ever', async () => {
    expect(await forgotten(1)).toEqual([[7, 7]]);
    expect(await forgotten(20, 10, 10)).toEqual([[29, 29]]);
  });
});
