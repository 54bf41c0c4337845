import { DAY_MS } from '@lettermill/concurrency';
import { dataCutoff, contentCutoff } from './retention.cutoffs';

const NOW = 100 * DAY_MS;
const daysOf = (at: number | null) => (at === null ? null : Math.round((NOW - at) / DAY_MS));
const terms = (retentionDays: number, ...retryDays: number[]) => ({
  retentionDays,
  retryDelays: retryDays.map((days) => days * 86_400),
});

describe('what is kept of a message', () => {
  it('can be sent again for a week after the last retry, however long the retries take', () => {
    expect([terms(30), terms(1, 10), terms(0, 10, 10)].map((one) => daysOf(contentCutoff(NOW, one)))).toEqual([
      7, 18, 29,
    ]);
  });

  it('can be sent again for a week also if each retry waited for the first delay, as after unknown outcomes', () => {
    expect(daysOf(contentCutoff(NOW, terms(30, 10, 1, 1)))).toBe(40);
  });

  it('is kept as long as its records, and as long as it can be sent again', () => {
    const all = [terms(30), terms(1), terms(20, 10, 10), terms(0, 10)];
    expect(all.map((one) => daysOf(dataCutoff(NOW, one)))).toEqual([33, 7, 29, null]);
  });
});
