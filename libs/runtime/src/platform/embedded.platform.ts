import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileBlobs } from '@lettermill/blobs';
import { TOPICS } from '@lettermill/events';
import { EmbeddedLog, lockDirectory } from '@lettermill/log';
import { SqlDatabase } from '@lettermill/storage';
import type { Config } from '../config/config';
import type { Logger } from '../logging/logger';
import type { Platform } from './platform';

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;
/** Retries run for two days; what they need is kept a little longer than the log is. */
const BLOB_SLACK_MS = 3 * DAY_MS;

export interface OpenPlatform {
  platform: Platform;
  /** Closes log, stores and blobs; the services must be closed before. */
  close(): Promise<void>;
}

/** The embedded profile: everything under DATA_DIR, one process at a time. */
export async function openEmbedded(
  config: Config,
  logger: Logger,
  onFatal: (error: Error) => void,
): Promise<OpenPlatform> {
  const inData = (name: string) => join(config.dataDir, name);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(config.dataDir);
  const log = await EmbeddedLog.open({
    directory: inData('log'),
    logger,
    retention: { days: config.retentionDays, keepWhole: [TOPICS.contactUpserted, TOPICS.campaignLaunched] },
    onFatal,
  });
  const database = new SqlDatabase(inData('lettermill.db'));
  const blobs = new FileBlobs(inData('blobs'));
  await blobs.discardDrafts();
  const sweeping = sweepBlobs(blobs, config.retentionDays, logger);
  return {
    platform: {
      config,
      log,
      storage: { kind: 'libsql', database, check: () => database.check() },
      blobs,
      logger,
      instance: 'embedded',
    },
    close: async () => {
      clearInterval(sweeping);
      await log.close();
      await database.close();
      await blobs.close();
      lock.release();
    },
  };
}

function sweepBlobs(blobs: FileBlobs, retentionDays: number, logger: Logger): NodeJS.Timeout | undefined {
  if (retentionDays === 0) return undefined;
  const sweep = async () => {
    const removed = await blobs.sweep(Date.now() - retentionDays * DAY_MS - BLOB_SLACK_MS);
    if (removed > 0) logger.info({ removed }, 'blobs that no kept message refers to were removed');
  };
  const quietly = () => void sweep().catch((error: unknown) => logger.warn({ err: error }, 'blobs could not be swept'));
  return setInterval(quietly, SWEEP_MS).unref();
}
