import type { BlobStore } from '@lettermill/blobs';
import { everyHour } from '@lettermill/concurrency';
import type { Logger } from '../logging/logger';
import type { Config } from '@lettermill/config';
import { dataCutoff } from './retention.cutoffs';

/**
 * Removes every hour the blobs that no kept message can refer to any more (a `retentionDays` of 0 keeps all), and what processes left behind
 * when they died. Returns a function that stops it.
 */
export function sweepBlobsHourly(blobs: BlobStore, config: Config, logger: Logger): () => void {
  const sweep = async () => {
    const removed = await blobs.sweep(dataCutoff(Date.now(), config));
    if (removed > 0) logger.info({ removed }, 'blobs that no kept message refers to were removed');
  };
  const quietly = () => void sweep().catch((error: unknown) => logger.warn({ err: error }, 'blobs could not be swept'));
  return everyHour(quietly);
}
