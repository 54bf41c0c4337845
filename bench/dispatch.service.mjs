// Dispatch alone, on files of its own, for the benches of its queue: it gets rendered messages directly, and mails go to the sink.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Starts the service; returns it and its store. */
export async function dispatchService(sinkPort, environment = process.env) {
  const { readConfig } = require('../dist/libs/config/src/index.js');
  const { createLogger, keepGarbageYoung, openEmbedded, Service } = require('../dist/libs/runtime/src/index.js');
  keepGarbageYoung();
  const { SendingConsumer } = require('../dist/apps/dispatch/src/sending/sending.consumer.js');
  const { DELIVERY_STORE } = require('../dist/apps/dispatch/src/deliveries/deliveries.store.js');
  const { DispatchModule } = require('../dist/apps/dispatch/src/dispatch.module.js');
  const read = readConfig({ ...environment, SMTP_URL: `smtp://127.0.0.1:${sinkPort}?tls=off` }, 'standalone');
  const { platform } = await openEmbedded(
    { ...read, internalSecret: 's'.repeat(64) },
    createLogger('warn'),
    (error) => {
      throw error;
    },
  );
  const service = await Service.create({ name: 'dispatch', module: DispatchModule }, platform);
  const began = Date.now();
  await service.start('127.0.0.1', read.port);
  return {
    service,
    started: Date.now() - began,
    store: service.app.get(DELIVERY_STORE),
    take: (events) => service.app.get(SendingConsumer).on({ events }),
  };
}

/** Ids of a future time, because old messages are not sent. */
const id = (i) => `m${String(i).padStart(17, '0')}`;

/** A rendered message, as the log delivers it. */
export function queued(i, to, priority = 'normal', parts = { text: 'Your order is on its way.\n'.repeat(40) }) {
  const now = new Date().toISOString();
  const from = 'bench@shop.example';
  const mail = {
    message_id: `<${id(i)}@shop.example>`,
    date: now,
    from: { email: from },
    to: { email: to },
    cc: [],
    subject: `Hello ${i}`,
    ...parts,
    headers: [],
    attachments: [],
  };
  const data = {
    account_id: 'default',
    message_id: id(i),
    campaign: { id: 'B'.repeat(18), slug: 'bench', version: 1 },
    priority,
    on_uncertain: 'retry',
    expires_at: null,
    envelope: { from, to: [to] },
    mail,
  };
  const frame = { topic: 'message-queued', partition: 0, position: i };
  return { ...frame, id: `queued-${i}`, type: 'MessageQueued', source: 'renderer', time: now, key: id(i), data };
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Prints the text and keeps the process alive; the process that started it ends it. */
export function told(text) {
  process.stdout.write(`${text}\n`);
  setInterval(() => undefined, 60_000);
  process.on('SIGTERM', () => process.exit(0));
}
