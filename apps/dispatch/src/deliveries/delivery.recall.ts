import { retryDelay } from '../lifecycle/backoff';
import type { Recall } from './deliveries.store';

/**
 * A message accepted in the future was accepted before the clock was set back, and one due later than any delay allows was put off before
 * that. If it was never tried, it is due now; if it was put off, it waits from now on, for at most the longest delay it can have been given.
 */
export function recallAt(now: number, delays: readonly number[]): Recall {
  // A mail that may have arrived waits for the first delay, however often it was tried.
  const longest = (attempts: number) => Math.max(retryDelay(delays, attempts, 1)!, retryDelay(delays, 1, 1)!);
  return { acceptedAfter: now, latest: [now, ...delays.map((_, at) => now + longest(at + 1))] };
}
