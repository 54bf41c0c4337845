import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { FileBlobs } from '@lettermill/blobs';
import { COMPACTED_TOPICS } from '@lettermill/events';
import { EmbeddedLog, LOCK_FILE, lockDirectory, mustHaveFreeSpace } from '@lettermill/log';
import { SqlDatabase } from '@lettermill/storage';
import type { Config } from '@lettermill/config';
import type { Logger } from '../logging/logger';
import { sweepBlobsHourly } from './blob.sweeper';
import { makeDataDirectory } from './data.directory';
import type { OpenPlatform } from './open.platform';
import { retryUntilAvailable } from './retry.until.available';
import { mustBeWhole } from './whole.data';

const LOG_DIRECTORY = 'log';
const STORE_FILE = 'lettermill.db';
const BLOBS_DIRECTORY = 'blobs';

/** A platform whose directory may have been in use before. */
export interface OpenEmbeddedPlatform extends OpenPlatform {
  used: boolean;
}

/** The embedded profile: everything under DATA_DIR, one process at a time. `throwIfCancelled` throws if the start was cancelled. */
export async function openEmbedded(
  config: Config,
  logger: Logger,
  onFatal: (error: Error) => void,
  throwIfCancelled: () => void = () => undefined,
): Promise<OpenEmbeddedPlatform> {
  const inData = (name: string) => join(config.dataDir, name);
  makeDataDirectory(config.dataDir, [LOG_DIRECTORY, STORE_FILE, LOCK_FILE]);
  await retryUntilAvailable('room in DATA_DIR', logger, () => {
    throwIfCancelled();
    return mustHaveFreeSpace(config.dataDir);
  });
  const lock = lockDirectory(config.dataDir);
  const used = mustBeWhole(config.dataDir, LOG_DIRECTORY, STORE_FILE);
  // Restored from a copy, they may be readable for everybody. What is missing is made for the owner alone.
  for (const folder of [LOG_DIRECTORY, BLOBS_DIRECTORY]) await chmod(inData(folder), 0o700).catch(() => undefined);
  const log = await EmbeddedLog.open({
    directory: inData(LOG_DIRECTORY),
    logger,
    retention: { days: config.retentionDays, keepWhole: COMPACTED_TOPICS },
    onFatal,
  });
  const database = new SqlDatabase(inData(STORE_FILE), onFatal);
  const blobs = new FileBlobs(inData(BLOBS_DIRECTORY));
  await blobs.discardDrafts();
  const stopSweeping = sweepBlobsHourly(blobs, config, logger);
  return {
    used,
    platform: {
      config,
      log,
      storage: { kind: 'libsql', database, check: () => database.check() },
      blobs,
      logger,
      instance: 'embedded',
    },
    close: async () => {
      stopSweeping();
      await log.close();
      await database.close();
      await blobs.close();
      lock.release();
    },
  };
}
