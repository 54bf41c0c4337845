import type { Clock } from '@lettermill/runtime';
import type { Counted } from './rate.limiter.mongoose';

interface Window {
  points: number;
  /** Milliseconds since the epoch. */
  end: number;
}

/** Counters of a process that runs alone. A window begins with the first request after the previous window has ended. */
export class MemoryRateLimiter {
  /** One window for each account that has ever called. Callers without a key have none. */
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly duration: number,
    private readonly now: Clock,
  ) {}

  consume(accountId: string, points: number): Counted {
    const now = this.now();
    let window = this.windows.get(accountId);
    const length = this.duration * 1000;
    // A window that ends later than a new one would was begun before the clock was set back.
    if (!window || window.end <= now || window.end > now + length) {
      window = { points: 0, end: now + length };
      this.windows.set(accountId, window);
    }
    window.points += points;
    return { consumedPoints: window.points, msBeforeNext: window.end - now };
  }
}
