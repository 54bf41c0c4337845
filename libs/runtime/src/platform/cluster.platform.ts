import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { GridFsBlobs } from '@lettermill/blobs';
import { ALL_TOPICS, COMPACTED_TOPICS } from '@lettermill/events';
import { KafkaLog } from '@lettermill/log';
import { isMongoEmpty, mongooseStorage, openMongo, StoreAddressFault } from '@lettermill/storage';
import { ConfigFault, type Config, type Role } from '@lettermill/config';
import type { Logger } from '../logging/logger';
import { sweepBlobsHourly } from './blob.sweeper';
import { warnIfStoreIsLost } from './empty.store';
import type { OpenPlatform } from './open.platform';
import { placeName, surroundings } from './process.place';
import { retryUntilAvailable } from './retry.until.available';

/** Whether no process listens on the port: then this will be the only one there, and its predecessor is gone. */
async function isPortFree(port: number, host: string): Promise<boolean> {
  // With port 0, each process gets a different port.
  if (port === 0) return false;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** The cluster profile: Kafka and MongoDB, shared with every other process of the system. */
export async function openCluster(config: Config, service: Role, logger: Logger): Promise<OpenPlatform> {
  const place = placeName(service, config, surroundings());
  const instance = `${place}-${randomUUID().slice(0, 8)}`;
  const alone = await isPortFree(config.port, config.host);
  const connection = await retryUntilAvailable('MongoDB', logger, () => openMongo(config.mongodbUri!)).catch(
    (error: unknown) => {
      if (!(error instanceof StoreAddressFault)) throw error;
      throw new ConfigFault([{ variable: 'MONGODB_URI', problem: error.message }]);
    },
  );
  const log = await retryUntilAvailable('Kafka', logger, () =>
    KafkaLog.open({
      brokers: config.kafkaBrokers!,
      clientId: `lettermill-${service}`,
      instance,
      ...(alone && { place }),
      logger,
      topics: ALL_TOPICS,
      retention: { days: config.retentionDays, keepWhole: COMPACTED_TOPICS },
      ...config.kafka,
    }),
  );
  await retryUntilAvailable('Kafka and MongoDB', logger, () =>
    warnIfStoreIsLost(log, () => isMongoEmpty(connection), logger),
  );
  const blobs = new GridFsBlobs(connection);
  await retryUntilAvailable('MongoDB', logger, () => blobs.migrate());
  const stopSweeping = service === 'gateway' ? sweepBlobsHourly(blobs, config, logger) : undefined;
  return {
    platform: { config, log, storage: mongooseStorage(connection), blobs, logger, instance },
    close: async () => {
      stopSweeping?.();
      await log.close();
      await blobs.close();
      await connection.close();
    },
  };
}
