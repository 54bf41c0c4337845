import type { RateCount, RateStore, RateWindow } from './rate.store';

interface Running {
  requests: number;
  /** Milliseconds since the epoch. */
  end: number;
}

/** The windows of a process that runs alone (ADR 8). */
export class MemoryRateStore implements RateStore {
  /** One window for each account that has ever called. Callers without a key have none. */
  private readonly windows = new Map<string, Running>();

  migrate(): Promise<void> {
    return Promise.resolve();
  }

  count(accountId: string, { seconds }: RateWindow, now: number): RateCount {
    let window = this.windows.get(accountId);
    const length = seconds * 1000;
    // A window that ends later than a new one would was begun before the clock was set back.
    if (!window || window.end <= now || window.end > now + length) {
      window = { requests: 0, end: now + length };
      this.windows.set(accountId, window);
    }
    window.requests += 1;
    return { place: window.requests, msBeforeNext: window.end - now };
  }
}
