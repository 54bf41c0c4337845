// kafkajs alone: all records that wait form the next batch; one batch is sent at a time.
import { kafka } from './cluster.own.mjs';
import { createRequire } from 'node:module';

const { Partitioners } = createRequire(import.meta.url)('kafkajs');

export async function bareKafka(topic) {
  const admin = kafka().admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 8, replicationFactor: 1 }], waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka().producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  let waiting = [];
  let sending = false;
  const send = async () => {
    sending = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await producer.sendBatch({
        acks: -1,
        topicMessages: [{ topic, messages: batch.flatMap(({ records }) => records) }],
      });
      for (const { resolve } of batch) resolve();
    }
    sending = false;
  };
  const append = (records) =>
    new Promise((resolve) => {
      waiting.push({ records, resolve });
      if (!sending) void send();
    });
  return { append };
}
