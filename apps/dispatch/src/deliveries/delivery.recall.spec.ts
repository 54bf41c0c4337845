import { retryDelay } from '../lifecycle/backoff';
import { recallAt } from './delivery.recall';

const NOW = 1_800_000_000_000;

describe('recallAt', () => {
  it('makes a delivery due now if it was never tried', () => {
    expect(recallAt(NOW, [60, 300])).toEqual({ acceptedAfter: NOW, latest: [NOW, NOW + 66_000, NOW + 330_000] });
    expect(recallAt(NOW, [])).toEqual({ acceptedAfter: NOW, latest: [NOW] });
  });

  it('allows a deferred delivery its full retry delay', () => {
    const delays = [60, 1, 5];
    const { latest } = recallAt(NOW, delays);
    for (const attempts of [1, 2, 3]) {
      for (const number of [1, attempts]) {
        expect(latest[attempts]).toBeGreaterThanOrEqual(NOW + retryDelay(delays, number, 0.999)!);
      }
    }
  });
});
