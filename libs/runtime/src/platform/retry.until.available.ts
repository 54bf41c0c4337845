import { isRetryable, pause } from '@lettermill/concurrency';
import type { Logger } from '../logging/logger';

const RETRY_DELAY_MS = 2_000;

/** Repeats `open` while what it needs is unavailable, with a warning each time. */
export async function retryUntilAvailable<T>(what: string, logger: Logger, open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      logger.warn({ waiting_for: what, detail: (error as Error).message }, `waiting for ${what}`);
      await pause(RETRY_DELAY_MS);
    }
  }
}
