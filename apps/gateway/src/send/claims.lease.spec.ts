import { StoreUnavailable } from '@lettermill/storage';
import { ClaimLease } from './claims.lease';
import type { Claim } from './claims.store';

const BEGUN = 1_800_000_000_000;

describe('the lease of a claim', () => {
  beforeEach(() => jest.useFakeTimers({ now: BEGUN }));
  afterEach(() => jest.useRealTimers());

  it('is renewed every ten seconds, also after a renewal that failed, until the request is done', async () => {
    const renew = jest.fn().mockRejectedValueOnce(new StoreUnavailable('away')).mockResolvedValue(true);
    const claim = { accountId: 'a', requestId: 'r', leaseUntil: BEGUN + 30_000 } as Claim;
    const lease = new ClaimLease(claim, { renew }, Date.now);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(renew.mock.calls).toEqual([
      [claim, BEGUN + 40_000],
      [claim, BEGUN + 50_000],
    ]);
    expect(await lease.isStillHeld()).toBe(true);
    expect(await lease.end()).toEqual({ ...claim, leaseUntil: BEGUN + 50_000 });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that was lost stays lost, whatever the store says later', async () => {
    const renew = jest.fn().mockResolvedValueOnce(false).mockResolvedValue(true);
    const lease = new ClaimLease({ leaseUntil: BEGUN + 30_000 } as Claim, { renew }, Date.now);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await lease.isStillHeld()).toBe(false);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await lease.isStillHeld()).toBe(false);
    await lease.end();
  });
});
