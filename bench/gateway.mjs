// The gateway by itself on the embedded profile's log and store: what accepting costs, without what follows it.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { createLogger, openEmbedded, readConfig, Service } = require('../dist/libs/runtime/src/index.js');
const { EventPublisher } = require('../dist/libs/log/src/index.js');
const { gatewayService } = require('../dist/apps/gateway/src/gateway.service.js');

const environment = readConfig({ ...process.env, RATE_LIMIT: '1000000000/60' }, 'standalone');
const config = { ...environment, internalSecret: randomBytes(32).toString('hex') };
const { platform } = await openEmbedded(config, createLogger('warn'), (error) => {
  throw error;
});
const now = new Date().toISOString();
await new EventPublisher(platform.log).publish([
  {
    id: 'bench',
    type: 'CampaignLaunched',
    source: 'renderer',
    time: now,
    key: 'default:bench',
    data: {
      ...{ account_id: 'default', id: 'B'.repeat(18), slug: 'bench', version: 1, launched_at: now, name: null },
      ...{ from: { email: 'bench@shop.example' }, priority: 'normal', on_uncertain: 'retry', valid_for: null },
      ...{ message: { subject: 'bench', text: 'bench' }, attachments: [], fingerprint: 'bench' },
    },
  },
]);
const gateway = await Service.create(gatewayService, platform);
await gateway.start('127.0.0.1', config.port);
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');
