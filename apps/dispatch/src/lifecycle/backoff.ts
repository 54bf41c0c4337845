/** Each delay is spread by this much either way, so that messages deferred together do not come back together. */
const JITTER = 0.1;

/**
 * Milliseconds before the attempt that follows attempt `number` (1 is the first); undefined when the retries are used up.
 * `delays` are seconds (RETRY_DELAYS), `random` is in [0, 1).
 */
export function retryDelay(delays: readonly number[], number: number, random: number): number | undefined {
  const seconds = delays[number - 1];
  if (seconds === undefined) return undefined;
  return Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random));
}
