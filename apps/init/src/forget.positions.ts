import type { Config } from '@lettermill/config';
import { openCluster, type Logger } from '@lettermill/runtime';
import { forgetPositions } from '../../contacts/src/positions/positions.forget';
import { MongoosePositionsStore } from '../../contacts/src/positions/positions.store.mongoose';
import { MongooseContactsStore } from '../../contacts/src/resolve/contacts.store.mongoose';

/**
 * For a log that is gone for good and begins anew: makes contacts forget the positions it has applied. Rejects with `StoreNotAhead` if the
 * log has everything that contacts applied. Waits for Kafka and MongoDB, and creates missing topics.
 */
export async function forgetOldLog(config: Config, logger: Logger): Promise<void> {
  const { platform, close } = await openCluster(config, 'init', logger);
  const { log, storage } = platform;
  try {
    if (storage.kind !== 'mongoose') throw new Error('this is for the cluster profile');
    const contacts = new MongooseContactsStore(storage.database);
    const positions = new MongoosePositionsStore(storage.database);
    const partitions = await forgetPositions(log, contacts, positions);
    logger.info({ partitions }, 'contacts has forgotten its positions; it reads the log from its first record');
  } finally {
    await close();
  }
}
