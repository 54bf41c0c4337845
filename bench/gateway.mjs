// The gateway alone, on the log and store of the embedded profile: the cost of accepting without what follows.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { campaignLaunched } from './gateway.campaign.mjs';

const require = createRequire(import.meta.url);
const { readConfig } = require('../dist/libs/config/src/index.js');
const { createLogger, openEmbedded, Service } = require('../dist/libs/runtime/src/index.js');
const { EventPublisher } = require('../dist/libs/log/src/index.js');
const { gatewayService } = require('../dist/apps/gateway/src/gateway.service.js');

const environment = readConfig({ ...process.env, RATE_LIMIT: '1000000000/60' }, 'standalone');
const config = { ...environment, internalSecret: randomBytes(32).toString('hex') };
const { platform } = await openEmbedded(config, createLogger('warn'), (error) => {
  throw error;
});
await new EventPublisher(platform.log).publish([campaignLaunched()]);
const gateway = await Service.create(gatewayService, platform);
await gateway.start('127.0.0.1', config.port);
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');
