import type * as Kafkajs from 'kafkajs';

/** Deletes the topics that begin with one of `prefixes`. The kafkajs that the product mends cannot: it lists no topics (metadata.mend.ts). */
export async function deleteTopics(
  { Kafka, logLevel }: typeof Kafkajs,
  brokers: string,
  prefixes: string[],
): Promise<void> {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const all = await admin.listTopics();
    await admin.deleteTopics({ topics: all.filter((topic) => prefixes.some((prefix) => topic.startsWith(prefix))) });
  } finally {
    await admin.disconnect();
  }
}
