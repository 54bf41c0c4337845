import type { Logger } from '@nestjs/common';
import { isAway } from '@lettermill/concurrency';

/** Of a store that is away the operator hears as of something that passes; of anything else as of a defect. */
export function complain(logger: Logger, error: unknown): void {
  if (isAway(error)) logger.warn(`the store is unavailable: ${(error as Error).message}`);
  else logger.error(error);
}
