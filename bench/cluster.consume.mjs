// Consumes one topic, whose records were all written before: reads, decodes, validates and delivers them in batches, and commits positions.
import { createRequire } from 'node:module';
import { brokers, ownCluster } from './cluster.own.mjs';
import { extent, pairsOf } from './extent.mjs';
import { start } from './processes.mjs';

const require = createRequire(import.meta.url);
const PAIRS = pairsOf();
const RECORDS = extent(30_000, 2_000);
const ROUNDS = extent(4, 1);
const TOPIC = 'message-outcome';

const event = (i) => ({
  id: `id/${i}`,
  type: 'MessageFailed',
  source: 'dispatch',
  time: '2026-11-21T10:00:00.000Z',
  key: `k${i % 997}`,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  data: {
    account_id: 'a',
    message_id: String(i).padStart(18, '0'),
    reason: { code: 'c', detail: 'd'.repeat(600) },
  },
});

async function fill(topicPrefix) {
  const { KafkaLog } = require('../dist/libs/log/src/index.js');
  const { encodeEvent } = require('../dist/libs/events/src/index.js');
  const log = await KafkaLog.open({
    brokers: brokers(),
    clientId: 'bench',
    instance: 'bench',
    topicPrefix,
    topics: [TOPIC],
    retention: { days: 1, keepWhole: [] },
  });
  for (let i = 0; i < RECORDS; i += 1_000) {
    await log.append(Array.from({ length: 1_000 }, (_, n) => encodeEvent(event(i + n))));
  }
  await log.close();
}

/**
 * Records per CPU second; not of wall time, because the broker runs on the same cores. Each consumer has a process of its own, so
 * that neither pays for garbage of the other.
 */
async function consumed(SIDE, PREFIX) {
  const environment = {
    SIDE,
    PREFIX,
    TOPIC,
    RECORDS: String(RECORDS),
    ROUNDS: String(ROUNDS),
    KAFKA_BROKERS: brokers().join(),
  };
  const running = await start('bench/cluster.consumer.mjs', environment, '}');
  const { rate } = JSON.parse(running.output());
  await running.stop();
  return rate;
}

/** The consumer transport against kafkajs' eachBatch with JSON.parse, which checks nothing. */
export async function consumeOnCluster() {
  const own = ownCluster();
  await fill(own.prefix);
  const pairs = [];
  for (let i = 0; i < PAIRS; i += 1) {
    pairs.push({ ours: await consumed('ours', own.prefix), bare: await consumed('bare', own.prefix) });
  }
  await own.remove();
  return { unit: 'records/s of CPU', baseline: 'kafkajs eachBatch + JSON.parse', pairs };
}
