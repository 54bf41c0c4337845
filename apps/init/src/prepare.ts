import type { Type } from '@nestjs/common';
import type { Config, ServiceName } from '@lettermill/config';
import { openCluster, type Logger } from '@lettermill/runtime';
import { migrateStores } from '@lettermill/storage';
import { ContactsModule } from '../../contacts/src/contacts.module';
import { DispatchModule } from '../../dispatch/src/dispatch.module';
import { GatewayModule } from '../../gateway/src/gateway.module';
import { RendererModule } from '../../renderer/src/renderer.module';
import { TrackerModule } from '../../tracker/src/tracker.module';
import { makeSecrets } from './secrets/secrets';

const MODULES: Record<ServiceName, Type> = {
  gateway: GatewayModule,
  contacts: ContactsModule,
  renderer: RendererModule,
  dispatch: DispatchModule,
  tracker: TrackerModule,
};

/**
 * Makes everything that the five services need before they start, in one place: secrets if a directory for them is given, topics and
 * indexes. Waits for Kafka and MongoDB. What exists is left as it is, so it may run again, and twice at once.
 */
export async function prepare(config: Config, logger: Logger): Promise<void> {
  if (config.secretsDir) {
    const made = await makeSecrets(config.secretsDir);
    logger.info({ made }, made.length > 0 ? 'secrets were made' : 'the secrets are there');
  }
  const { platform, close } = await openCluster(config, 'init', logger);
  try {
    const stores = await migrateStores(Object.values(MODULES), platform.storage);
    logger.info({ stores }, 'topics, stores and blobs are ready');
  } finally {
    await close();
  }
}
