import { Claims } from './claims';
import type { ClaimStore } from './claims.store';

describe('expired idempotency keys', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are removed every ten minutes, also after a failure, until the service ends', async () => {
    const times: number[] = [];
    const sweep: ClaimStore['sweep'] = (now) => {
      times.push(now);
      return times.length === 1 ? Promise.reject(new Error('store away')) : Promise.resolve(0);
    };
    const claims = new Claims({ sweep } as ClaimStore, () => 1_800_000_000_000, { warn: () => undefined } as never);
    claims.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1_200_000);
    expect(times).toEqual([1_800_000_000_000, 1_800_000_000_000]);
    claims.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(1_200_000);
    expect(times).toHaveLength(2);
  });
});
