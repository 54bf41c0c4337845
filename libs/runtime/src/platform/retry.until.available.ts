import { isRetryable, OncePer, pause } from '@lettermill/concurrency';
import type { Logger } from '../logging/logger';

const RETRY_DELAY_MS = 2_000;
/** Milliseconds after which the same reason is logged again. */
const REPEAT_INTERVAL_MS = 30_000;

/** Repeats `open` while what it needs is unavailable, with a warning when the reason is another one, and now and then. */
export async function retryUntilAvailable<T>(what: string, logger: Logger, open: () => Promise<T>): Promise<T> {
  const once = new OncePer(REPEAT_INTERVAL_MS, Date.now);
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      const { message: detail } = error as Error;
      if (once.passes(detail)) logger.warn({ waiting_for: what, detail }, `waiting for ${what}`);
      await pause(RETRY_DELAY_MS);
    }
  }
}
