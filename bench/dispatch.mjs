// Dispatch alone: from rendered messages in memory to the last mail at the sink. Ours takes them into the durable store, claims
// them, sends them, records each outcome and announces it on the durable log; nodemailer's pool keeps nothing.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createTransport } from 'nodemailer';
import { count, reaches } from './sink.count.mjs';
import { freePort, start, temporaryDirectory } from './processes.mjs';

const PAIRS = 5;
const WARM = 1000;
const MESSAGES = 6000;
const CONNECTIONS = 10;
const HERE = 'bench/dispatch.mjs';

const row = '<tr><td style="padding:4px">Your order of the day is on its way to you.</td><td>1</td></tr>\n';
const html = (i) => `<html><body><h1>Hello Name ${i}</h1>\n<table>\n${row.repeat(36)}</table></body></html>\n`;
const text = (i) => `Hello Name ${i}\n\n${'Your order of the day is on its way to you, thank you.\n'.repeat(60)}`;

/** Mails a second, once warm. */
async function rate(port, send) {
  const before = await count(port);
  await send(0, WARM);
  await reaches(port, before + WARM);
  const began = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  await send(WARM, MESSAGES);
  await reaches(port, before + WARM + MESSAGES);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  process.stderr.write(`# ${process.env.ROLE}: ${Math.round((user + system) / MESSAGES)} us of CPU a message\n`);
  return MESSAGES / seconds;
}

const id = (i) => `M${String(i).padStart(17, '0')}`;

function queued(i) {
  const now = new Date().toISOString();
  const [from, to] = ['bench@shop.example', `user-${i}@example.com`];
  const mail = {
    ...{ message_id: `<${id(i)}@shop.example>`, date: now, from: { email: from }, to: { email: to }, cc: [] },
    ...{ subject: `Hello Name ${i}`, text: text(i), html: html(i), headers: [], attachments: [] },
  };
  const data = {
    ...{ account_id: 'default', message_id: id(i), campaign: { id: 'B'.repeat(18), slug: 'bench', version: 1 } },
    ...{ priority: 'normal', on_uncertain: 'retry', expires_at: null, envelope: { from, to: [to] }, mail },
  };
  const frame = { topic: 'message-queued', partition: 0, position: i };
  return { ...frame, id: `queued-${i}`, type: 'MessageQueued', source: 'renderer', time: now, key: id(i), data };
}

async function ours(port) {
  const require = createRequire(import.meta.url);
  const { createLogger, openEmbedded, readConfig, Service } = require('../dist/libs/runtime/src/index.js');
  const { DeliveriesConsumer } = require('../dist/apps/dispatch/src/deliveries/deliveries.consumer.js');
  const { DispatchModule } = require('../dist/apps/dispatch/src/dispatch.module.js');
  const environment = { ...process.env, SMTP_URL: `smtp://127.0.0.1:${port}?tls=off` };
  const config = { ...readConfig(environment, 'standalone'), internalSecret: 's'.repeat(64) };
  const { platform } = await openEmbedded(config, createLogger('warn'), (error) => {
    throw error;
  });
  const service = await Service.create({ name: 'dispatch', module: DispatchModule }, platform);
  await service.start('127.0.0.1', config.port);
  const consumer = service.app.get(DeliveriesConsumer);
  return rate(port, async (first, many) => {
    for (let i = 0; i < many; i += 100) {
      await consumer.on({ events: Array.from({ length: 100 }, (_, n) => queued(first + i + n)) });
    }
  });
}

function nodemailers(port) {
  const pool = { pool: true, maxConnections: CONNECTIONS, maxMessages: Infinity };
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, ...pool });
  return rate(port, (first, many) =>
    Promise.all(
      Array.from({ length: many }, (_, n) => {
        const i = first + n;
        const to = `user-${i}@example.com`;
        return transport.sendMail({
          ...{ from: 'bench@shop.example', to, subject: `Hello Name ${i}`, text: text(i), html: html(i) },
        });
      }),
    ),
  );
}

async function measured(role, sink) {
  const data = temporaryDirectory();
  const environment = { ROLE: role, SINK: String(sink), PORT: String(await freePort()), DATA_DIR: data.path };
  const running = await start(HERE, environment, 'mails/s');
  await running.stop();
  data.remove();
  return Number(/([\d.]+) mails\/s/.exec(running.output())[1]);
}

export async function dispatch() {
  const port = await freePort();
  const sink = await start('bench/sink.mjs', { PORT: String(port) }, 'ready', 1);
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    pairs.push({ ours: await measured('ours', port), bare: await measured('nodemailer', port) });
  }
  await sink.stop();
  return { unit: 'messages/s', baseline: "nodemailer's pool from memory, not durable", pairs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.env.SINK);
  const result = await (process.env.ROLE === 'ours' ? ours(port) : nodemailers(port));
  process.stdout.write(`${result} mails/s\n`);
  // Its figure is told: whoever started it ends it.
  setInterval(() => undefined, 60_000);
  process.on('SIGTERM', () => process.exit(0));
}
