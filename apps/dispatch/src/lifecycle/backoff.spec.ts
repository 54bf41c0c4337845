import fc from 'fast-check';
import { retryDelay } from './backoff';

describe('retryDelay', () => {
  it('returns the delays one after the other, then none', () => {
    expect(retryDelay([60, 300], 1, 0.5)).toBe(60_000);
    expect(retryDelay([60, 300], 2, 0.5)).toBe(300_000);
    expect(retryDelay([60, 300], 3, 0.5)).toBeUndefined();
    expect(retryDelay([], 1, 0.5)).toBeUndefined();
  });

  it('stays within a tenth of the delay', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), random, (seconds, at) => {
        const delay = retryDelay([seconds], 1, at)!;
        expect(delay).toBeGreaterThanOrEqual(Math.floor(seconds * 900));
        expect(delay).toBeLessThanOrEqual(Math.ceil(seconds * 1100));
      }),
    );
  });
});
