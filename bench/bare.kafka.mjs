// kafkajs alone: all records that wait form the next batch; one batch is sent at a time.
import { kafka } from './cluster.own.mjs';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';

const { Partitioners } = createRequire(import.meta.url)('kafkajs');

/** A broker may not know a new topic yet, where kafkajs' own wait for its leaders ends with an error. */
async function untilKnown(admin, topic) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await admin.fetchTopicMetadata({ topics: [topic] });
    } catch (error) {
      if (error.type !== 'UNKNOWN_TOPIC_OR_PARTITION' || tries === 100) throw error;
      await pause(100);
    }
  }
}

export async function bareKafka(topic) {
  const admin = kafka().admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 8, replicationFactor: 1 }], waitForLeaders: false });
  await untilKnown(admin, topic);
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
