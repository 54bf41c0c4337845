import { retryDelay } from './backoff';
import type { Recall } from './deliveries.store';

/**
 * A message that was accepted in the future was accepted before the clock was set back. One that was never tried was due then; one that was
 * put off waits from now on, for as long as it can have been put off and no longer.
 */
export function recallAt(now: number, delays: readonly number[]): Recall {
  // What may have arrived waits for the first delay, however often it was tried.
  const longest = (attempts: number) => Math.max(retryDelay(delays, attempts, 1)!, retryDelay(delays, 1, 1)!);
  return { acceptedAfter: now, latest: [now, ...delays.map((_, at) => now + longest(at + 1))] };
}
