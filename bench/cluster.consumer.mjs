// A consumer in a process of its own. It reads a topic several times, each time as a new consumer group. SIDE is `ours` or `bare`.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { brokers, kafka } from './cluster.own.mjs';

const require = createRequire(import.meta.url);
const { SIDE, PREFIX, TOPIC } = process.env;
const RECORDS = Number(process.env.RECORDS);
const ROUNDS = Number(process.env.ROUNDS);

/** Counts delivered records; its promise resolves when all were delivered. */
function counted() {
  let count = 0;
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const took = (n) => {
    count += n;
    if (count >= RECORDS) done();
  };
  return { took, all };
}

async function ours() {
  const { KafkaLog, LogServer } = require('../dist/libs/log/src/index.js');
  const log = await KafkaLog.open({
    brokers: brokers(),
    clientId: 'bench',
    instance: 'bench',
    topicPrefix: PREFIX,
    retention: { days: 1, keepWhole: [] },
  });
  const logger = { info() {}, warn() {}, error() {} };
  return async () => {
    const server = new LogServer({ log, group: randomUUID(), logger, maxRecords: 200 });
    const { took, all } = counted();
    server.addHandler(TOPIC, (batch) => Promise.resolve(took(batch.events.length)), true);
    await new Promise((resolve, reject) => server.listen((error) => (error ? reject(error) : resolve())));
    await all;
    await server.close();
  };
}

async function bare() {
  const topic = PREFIX + TOPIC;
  return async () => {
    const consumer = kafka().consumer({ groupId: `${topic}.${randomUUID()}` });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const { took, all } = counted();
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
    await all;
    await consumer.disconnect();
  };
}

const round = await (SIDE === 'ours' ? ours() : bare());
// The first round is not measured: it includes compilation.
await round();
const before = process.cpuUsage();
for (let i = 0; i < ROUNDS; i += 1) await round();
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ rate: (RECORDS * ROUNDS * 1e6) / (user + system) })}\n`);
process.on('SIGTERM', () => process.exit(0));
