import metadata from 'kafkajs/src/protocol/requests/metadata/index.js';
import { mendMetadata } from './metadata.mend';

const { protocol: ofKafkajs } = metadata;
const mendedMetadata = { protocol: ofKafkajs };
mendMetadata(mendedMetadata);

const bytesOf = async ({ protocol }: typeof metadata, version: number, topics: string[]) => [
  ...(await protocol({ version })({ topics, allowAutoTopicCreation: false }).request.encode()).buffer,
];

describe('a request for metadata', () => {
  it.each([
    [1, []],
    [3, []],
    [4, [0]],
    [6, [0]],
  ])('of version %d that names no topic asks for none, not for all', async (version, rest) => {
    expect(await bytesOf(mendedMetadata, version, [])).toEqual([0, 0, 0, 0, ...rest]);
  });

  it.each([1, 6])('of version %d that names topics is that of kafkajs', async (version) => {
    const topics = ['dead-letter', 'message-queued'];
    expect(await bytesOf(mendedMetadata, version, topics)).toEqual(
      await bytesOf({ protocol: ofKafkajs }, version, topics),
    );
  });

  it('of version 0, in which no topic always means all, is left to kafkajs', async () => {
    expect(await bytesOf(mendedMetadata, 0, [])).toEqual(await bytesOf({ protocol: ofKafkajs }, 0, []));
  });

  it('is patched once', () => {
    const before = mendedMetadata.protocol;
    mendMetadata(mendedMetadata);
    expect(mendedMetadata.protocol).toBe(before);
  });
});
