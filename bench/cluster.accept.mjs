import { createRequire } from 'node:module';
import { accepts, rate, SECONDS } from './accept.mjs';
import { brokers, ownCluster } from './cluster.own.mjs';
import { services } from './cluster.processes.mjs';
import { campaignLaunched } from './gateway.campaign.mjs';
import { freePort, start } from './processes.mjs';

const require = createRequire(import.meta.url);
const PAIRS = 5;

/** As the renderer would announce it. */
async function launch(topicPrefix) {
  const { EventPublisher, KafkaLog } = require('../dist/libs/log/src/index.js');
  const retention = { days: 1, keepWhole: [] };
  const log = await KafkaLog.open({ brokers: brokers(), clientId: 'bench', instance: 'bench', topicPrefix, retention });
  await new EventPublisher(log).publish([campaignLaunched()]);
  await log.close();
}

async function measured(url, recipients) {
  while (!(await accepts(url, recipients))) await new Promise((resolve) => setTimeout(resolve, 50));
  await rate(url, recipients, 1);
  return rate(url, recipients, SECONDS);
}

async function ours(recipients) {
  const running = await services(['gateway'], {}, '0');
  await launch(running.own.prefix);
  const result = await measured(running.url, recipients);
  await running.stop();
  return result;
}

async function bare(recipients) {
  const own = ownCluster();
  const port = await freePort();
  const environment = { PORT: String(port), TOPIC: `${own.prefix}bare`, KAFKA_BROKERS: brokers().join() };
  const server = await start('bench/bare.accept.mjs', environment, 'ready');
  const result = await measured(`http://127.0.0.1:${port}`, recipients);
  await server.stop();
  await own.remove();
  return result;
}

/** The gateway on Kafka and MongoDB, against bare Fastify that hands all that waits to kafkajs as one batch. */
export async function acceptOnCluster(recipients) {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) pairs.push({ ours: await ours(recipients), bare: await bare(recipients) });
  return { unit: 'recipients/s', baseline: 'bare Fastify, compiled schema, kafkajs batches', pairs };
}
