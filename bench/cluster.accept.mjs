import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import autocannon from 'autocannon';
import { accepts, requestOf } from './accept.mjs';
import { brokers, ownCluster } from './cluster.own.mjs';
import { services } from './cluster.processes.mjs';
import { extent, pairsOf } from './extent.mjs';
import { campaignLaunched } from './gateway.campaign.mjs';
import { freePort, start } from './processes.mjs';

const require = createRequire(import.meta.url);
const PAIRS = pairsOf();
/** Enough to be measurable by the kernel's clock, even with --try. */
const RECIPIENTS = extent(20_000, 2_000);
/** Sent before the measurement: in the first seconds of a process most time goes into compilation. */
const WARM_RECIPIENTS = extent(10_000, 100);
/** Ticks per second of the kernel's clock in /proc. */
const TICKS_A_SECOND = 100;

/** Announces the campaign as the renderer would. */
async function launch(topicPrefix) {
  const { EventPublisher, KafkaLog } = require('../dist/libs/log/src/index.js');
  const retention = { days: 1, keepWhole: [] };
  const log = await KafkaLog.open({
    brokers: brokers(),
    clientId: 'bench',
    instance: 'bench',
    topicPrefix,
    retention,
  });
  await new EventPublisher(log).publish([campaignLaunched()]);
  await log.close();
}

/** Seconds of CPU that a process has used. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function load(url, recipients, many) {
  const amount = Math.ceil(many / recipients);
  const connections = Math.min(50, amount);
  const result = await autocannon({
    ...requestOf(url, recipients),
    amount,
    connections,
    timeout: 60,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
}

/** Recipients per CPU second of the server; not of wall time, because broker and database run on the same cores. */
async function measured({ url, pid }, recipients) {
  while (!(await accepts(url, recipients))) await new Promise((resolve) => setTimeout(resolve, 50));
  await load(url, recipients, WARM_RECIPIENTS);
  const before = cpuOf(pid);
  await load(url, recipients, RECIPIENTS);
  return RECIPIENTS / (cpuOf(pid) - before);
}

async function ours(recipients) {
  const running = await services(['gateway'], {}, '0');
  await launch(running.own.prefix);
  const result = await measured({ url: running.url, pid: running.pids[0] }, recipients);
  await running.stop();
  return result;
}

async function bare(recipients) {
  const own = ownCluster();
  const port = await freePort();
  const environment = {
    PORT: String(port),
    TOPIC: `${own.prefix}bare`,
    KAFKA_BROKERS: brokers().join(),
  };
  const server = await start('bench/bare.accept.mjs', environment, 'ready');
  const result = await measured({ url: `http://127.0.0.1:${port}`, pid: server.pid }, recipients);
  await server.stop();
  await own.remove();
  return result;
}

/** The gateway on Kafka and MongoDB, against bare Fastify that passes all waiting records to kafkajs as one batch. */
export async function acceptOnCluster(recipients) {
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) pairs.push({ ours: await ours(recipients), bare: await bare(recipients) });
  return {
    unit: 'recipients/s of CPU',
    baseline: 'bare Fastify, compiled schema, kafkajs batches',
    pairs,
  };
}
