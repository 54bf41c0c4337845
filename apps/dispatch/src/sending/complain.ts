import type { Logger } from '@nestjs/common';
import { isAway } from '@lettermill/concurrency';

/** Logs an unavailable store as a warning, since that passes, and everything else as an error, since it is a defect. */
export function complain(logger: Logger, error: unknown): void {
  if (isAway(error)) logger.warn(`the store is unavailable: ${(error as Error).message}`);
  else logger.error(error);
}
