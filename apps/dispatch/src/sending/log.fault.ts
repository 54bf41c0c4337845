import type { Logger } from '@nestjs/common';
import { isRetryable } from '@lettermill/concurrency';

/** Logs an unavailable store as a warning, since that passes, and everything else as an error, since it is a defect. */
export function logFault(logger: Logger, error: unknown): void {
  if (isRetryable(error)) logger.warn(`the store is unavailable: ${(error as Error).message}`);
  else logger.error(error);
}
