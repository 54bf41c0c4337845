import type { BlobStore } from '@lettermill/blobs';
import type { Logger } from '../logging/logger';
import { DAY_MS } from './hourly.sweeper';

const SWEEP_MS = 3_600_000;
/** Retries run for two days; what they need is kept a little longer than the log is. */
const SLACK_MS = 3 * DAY_MS;

/** Removes, every hour, blobs that no kept message can refer to any more. `retentionDays` 0 keeps all. */
export function sweepBlobs(blobs: BlobStore, retentionDays: number, logger: Logger): NodeJS.Timeout | undefined {
  if (retentionDays === 0) return undefined;
  const sweep = async () => {
    const removed = await blobs.sweep(Date.now() - retentionDays * DAY_MS - SLACK_MS);
    if (removed > 0) logger.info({ removed }, 'blobs that no kept message refers to were removed');
  };
  const quietly = () => void sweep().catch((error: unknown) => logger.warn({ err: error }, 'blobs could not be swept'));
  return setInterval(quietly, SWEEP_MS).unref();
}
