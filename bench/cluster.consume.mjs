// Records of one topic, all there before: read, decoded, checked and handed over in batches, positions committed.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { brokers, kafka, ownCluster } from './cluster.own.mjs';

const require = createRequire(import.meta.url);
const PAIRS = 7;
const RECORDS = 30_000;
const TOPIC = 'message-outcome';

const event = (i) => ({
  ...{ id: `id/${i}`, type: 'MessageFailed', source: 'dispatch', time: '2026-11-21T10:00:00.000Z', key: `k${i % 997}` },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  data: {
    ...{ account_id: 'a', message_id: String(i).padStart(18, '0') },
    reason: { code: 'c', detail: 'd'.repeat(600) },
  },
});

/**
 * From the first batch on: joining a group takes what the brokers let it take. Counted by CPU and not by the clock, as the broker works
 * on the same cores.
 */
function timed() {
  let [count, before] = [0, undefined];
  let done;
  const rate = new Promise((resolve) => (done = resolve));
  const took = (n) => {
    before ??= process.cpuUsage();
    count += n;
    if (count < RECORDS) return;
    const { user, system } = process.cpuUsage(before);
    done((RECORDS * 1e6) / (user + system));
  };
  return { took, rate };
}

async function ours(log) {
  const { LogServer } = require('../dist/libs/log/src/index.js');
  const logger = { info() {}, warn() {}, error() {} };
  const server = new LogServer({ log, group: randomUUID(), logger, maxRecords: 200 });
  const { took, rate } = timed();
  server.addHandler(TOPIC, (batch) => Promise.resolve(took(batch.events.length)), true);
  await new Promise((resolve, reject) => server.listen((error) => (error ? reject(error) : resolve())));
  const result = await rate;
  await server.close();
  return result;
}

async function bare(topic) {
  const consumer = kafka().consumer({ groupId: `${topic}.${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const { took, rate } = timed();
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch: { messages, partition }, resolveOffset }) => {
      for (const { value } of messages) JSON.parse(value.toString());
      const last = messages.at(-1).offset;
      resolveOffset(last);
      await consumer.commitOffsets([{ topic, partition, offset: String(BigInt(last) + 1n) }]);
      took(messages.length);
    },
  });
  const result = await rate;
  await consumer.disconnect();
  return result;
}

/** The consumer transport against kafkajs' eachBatch with JSON.parse, which checks nothing. */
export async function consumeOnCluster() {
  const { KafkaLog } = require('../dist/libs/log/src/index.js');
  const { encodeEvent } = require('../dist/libs/events/src/index.js');
  const own = ownCluster();
  const log = await KafkaLog.open({
    ...{ brokers: brokers(), clientId: 'bench', instance: 'bench', topicPrefix: own.prefix, topics: [TOPIC] },
    retention: { days: 1, keepWhole: [] },
  });
  for (let i = 0; i < RECORDS; i += 1_000) {
    await log.append(Array.from({ length: 1_000 }, (_, n) => encodeEvent(event(i + n))));
  }
  const pairs = [];
  await ours(log);
  await bare(own.prefix + TOPIC);
  for (let i = 0; i < PAIRS; i += 1) pairs.push({ ours: await ours(log), bare: await bare(own.prefix + TOPIC) });
  await log.close();
  await own.remove();
  return { unit: 'records/s of CPU', baseline: 'kafkajs eachBatch + JSON.parse', pairs };
}
