import { StoreUnavailable } from '@lettermill/storage';
import { Claims } from './claims';
import type { ClaimLease } from './claims.lease';
import type { ClaimStore } from './claims.store';

const NOW = 1_800_000_000_000;
const claimsOn = (store: Partial<ClaimStore>) =>
  new Claims(store as ClaimStore, () => NOW, { warn: () => undefined } as never);

describe('what claims do in the background', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('expired keys are removed every ten minutes, also after a failure, until the service ends', async () => {
    const sweep = jest.fn().mockRejectedValueOnce(new Error('store away')).mockResolvedValue(0);
    const claims = claimsOn({ sweep });
    claims.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1_200_000);
    expect(sweep.mock.calls).toEqual([[NOW], [NOW]]);
    claims.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(1_200_000);
    expect(sweep).toHaveBeenCalledTimes(2);
  });

  it('names are confirmed as soon as the store is available again, but do not keep the service from ending', async () => {
    const confirm = jest.fn().mockRejectedValue(new StoreUnavailable('away'));
    const lease = { end: () => Promise.resolve({ accountId: 'a', requestId: 'r' }) } as unknown as ClaimLease;
    const confirmed = claimsOn({ confirm });
    await confirmed.confirm(lease, '{}');
    confirm.mockClear().mockResolvedValueOnce(undefined);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(confirm.mock.calls).toEqual([['a', 'r', '{}', NOW + 48 * 3_600_000]]);
    const ending = claimsOn({ confirm });
    await ending.confirm(lease, '{}');
    ending.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
