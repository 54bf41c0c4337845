import { isAway, pause } from '@lettermill/concurrency';
import type { Logger } from '../logging/logger';

const AGAIN_MS = 2_000;

/** What is not there yet is waited for, and said to be. */
export async function untilThere<T>(what: string, logger: Logger, open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isAway(error)) throw error;
      logger.warn({ waiting_for: what, detail: (error as Error).message }, `waiting for ${what}`);
      await pause(AGAIN_MS);
    }
  }
}
