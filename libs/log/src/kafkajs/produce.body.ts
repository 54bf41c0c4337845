import { planBatch, writeBatch, type OutgoingRecord } from './record.batch.encode';

/** What kafkajs asks its protocol to encode. */
export interface ProduceBodyInput {
  acks: number;
  /** Milliseconds. */
  timeout: number;
  topicData: { topic: string; partitions: { partition: number; messages: OutgoingRecord[] }[] }[];
}

const NO_TRANSACTION = -1;

/** The body of a produce request, versions 3 to 8, in one buffer of exactly the size needed. */
export function encodeProduceBody({ acks, timeout, topicData }: ProduceBodyInput): Buffer {
  const topics = topicData.map(({ topic, partitions }) => ({
    name: Buffer.from(topic),
    partitions: partitions.map(({ partition, messages }) => ({ partition, batch: planBatch(messages) })),
  }));
  const bytes = topics.reduce(
    (sum, { name, partitions }) =>
      partitions.reduce((bytes, { batch }) => bytes + 8 + batch.bytes, sum + 2 + name.length + 4),
    2 + 2 + 4 + 4,
  );
  const body = Buffer.allocUnsafe(bytes);
  let at = body.writeInt16BE(NO_TRANSACTION, 0);
  at = body.writeInt16BE(acks, at);
  at = body.writeInt32BE(timeout, at);
  at = body.writeInt32BE(topics.length, at);
  for (const { name, partitions } of topics) {
    at = body.writeInt16BE(name.length, at);
    at += name.copy(body, at);
    at = body.writeInt32BE(partitions.length, at);
    for (const { partition, batch } of partitions) {
      at = body.writeInt32BE(partition, at);
      at = body.writeInt32BE(batch.bytes, at);
      at = writeBatch(body, at, batch);
    }
  }
  return body;
}
