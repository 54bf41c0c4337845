import type { Clock } from '@lettermill/runtime';
import type { Counted } from './rate.limiter.mongoose';

interface Window {
  points: number;
  /** Milliseconds since the epoch. */
  end: number;
}

/** Counters of a process that is by itself. A window begins with the first request after the one before has ended. */
export class MemoryRateLimiter {
  /** One for each account that has ever called: whoever has no key has none. */
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly duration: number,
    private readonly now: Clock,
  ) {}

  consume(accountId: string, points: number): Counted {
    const now = this.now();
    let window = this.windows.get(accountId);
    const length = this.duration * 1000;
    // One that ends later than it could was begun before the clock was set back.
    if (!window || window.end <= now || window.end > now + length) {
      window = { points: 0, end: now + length };
      this.windows.set(accountId, window);
    }
    window.points += points;
    return { consumedPoints: window.points, msBeforeNext: window.end - now };
  }
}
