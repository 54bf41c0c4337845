import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { FileBlobs } from '@lettermill/blobs';
import { KEPT_WHOLE } from '@lettermill/events';
import { EmbeddedLog, lockDirectory, mustHaveRoom } from '@lettermill/log';
import { SqlDatabase } from '@lettermill/storage';
import type { Config } from '../config/config';
import type { Logger } from '../logging/logger';
import { sweepBlobs } from './blob.sweeper';
import { makeDataDirectory } from './data.directory';
import type { OpenPlatform } from './open.platform';
import { untilThere } from './until.there';
import { mustBeWhole } from './whole.data';

const LOG = 'log';
const STORE = 'lettermill.db';
const BLOBS = 'blobs';

/** A platform whose directory may have been in use before. */
export interface OpenDirectory extends OpenPlatform {
  used: boolean;
}

/** The embedded profile: everything under DATA_DIR, one process at a time. `goOn` throws if the start was cancelled. */
export async function openEmbedded(
  config: Config,
  logger: Logger,
  onFatal: (error: Error) => void,
  goOn: () => void = () => undefined,
): Promise<OpenDirectory> {
  const inData = (name: string) => join(config.dataDir, name);
  makeDataDirectory(config.dataDir, [LOG, STORE]);
  await untilThere('room in DATA_DIR', logger, () => {
    goOn();
    return mustHaveRoom(config.dataDir);
  });
  const lock = lockDirectory(config.dataDir);
  const used = mustBeWhole(config.dataDir, LOG, STORE);
  const log = await EmbeddedLog.open({
    directory: inData(LOG),
    logger,
    retention: { days: config.retentionDays, keepWhole: KEPT_WHOLE },
    onFatal,
  });
  const database = new SqlDatabase(inData(STORE), onFatal);
  // Earlier versions created it readable for everybody.
  await chmod(inData(BLOBS), 0o700).catch(() => undefined);
  const blobs = new FileBlobs(inData(BLOBS));
  await blobs.discardDrafts();
  const sweeping = sweepBlobs(blobs, config, logger);
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
      clearInterval(sweeping);
      await log.close();
      await database.close();
      await blobs.close();
      lock.release();
    },
  };
}
