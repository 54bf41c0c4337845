import fc from 'fast-check';
import type { Message } from 'kafkajs';
import produce from 'kafkajs/src/protocol/requests/produce/index.js';
import type { ProduceArguments } from 'kafkajs/src/protocol/requests/produce/index.js';
import { mendProduce } from './produce.mend';

const VERSIONS = [3, 4, 5, 6, 7];
const { protocol: ofKafkajs } = produce;
const mendedProduce = { protocol: ofKafkajs };
mendProduce(mendedProduce);

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 20 }));
const value = fc.oneof(text, fc.uint8Array({ maxLength: 70_000 }).map(Buffer.from.bind(Buffer)));
const headers = fc.dictionary(fc.string({ minLength: 1 }), text, { maxKeys: 9 });
const record = fc.record({ key: text, value, headers }) as fc.Arbitrary<Message>;
const partition = fc.record({
  partition: fc.nat(),
  messages: fc.array(record, { minLength: 1, maxLength: 80, size: 'small' }),
});
const topic = fc.record({ topic: fc.string(), partitions: fc.array(partition, { minLength: 1, maxLength: 4 }) });

function produceArguments(
  topicData: ProduceArguments['topicData'],
  more: Partial<ProduceArguments> = {},
): ProduceArguments {
  const timed = topicData.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map(({ partition, messages }) => {
      return { partition, messages: messages.map((one) => ({ timestamp: '1800000000000', ...one })) };
    }),
  }));
  return { acks: -1, timeout: 10_000, producerId: -1, topicData: timed, ...more };
}

const bytesOf = async ({ protocol }: typeof produce, version: number, given: ProduceArguments) =>
  (await protocol({ version })(given).request.encode()).buffer;

describe('a produce request', () => {
  it.each(VERSIONS)('of version %d has the same bytes as that of kafkajs', async (version) => {
    await fc.assert(
      fc.asyncProperty(fc.array(topic, { minLength: 1, maxLength: 3 }), async (topicData) => {
        const given = produceArguments(topicData);
        const theirs = await bytesOf({ protocol: ofKafkajs }, version, given);
        expect((await bytesOf(mendedProduce, version, given)).equals(theirs)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('of many and long records has the same bytes as that of kafkajs', async () => {
    const lengths = [0, 63, 64, 8_191, 8_192, 1_048_576];
    const messages = Array.from({ length: 9_000 }, (_, at) => ({ key: `${at}`, value: '', headers: {} }));
    const long = lengths.map((length) => ({ key: 'k', value: 'ä'.repeat(length), headers: { n: 'v'.repeat(length) } }));
    const given = produceArguments([{ topic: 't', partitions: [{ partition: 0, messages: [...messages, ...long] }] }]);
    const theirs = await bytesOf({ protocol: ofKafkajs }, 7, given);
    expect((await bytesOf(mendedProduce, 7, given)).equals(theirs)).toBe(true);
  });

  const two = (times: [string?, string?]): ProduceArguments['topicData'] => {
    const messages = times.map((timestamp) => ({ key: 'k', value: 'v', headers: {}, timestamp }));
    return [{ topic: 't', partitions: [{ partition: 0, messages }] }];
  };
  it.each<[string, ProduceArguments]>([
    ['different times', produceArguments(two(['1800000000000', '1800000000007']))],
    ['no records', produceArguments([])],
    ['compression', produceArguments(two(['1', '1']), { compression: 1 })],
    ['a transaction', produceArguments(two(['1', '1']), { transactionalId: 'x' })],
    ['a producer id', produceArguments(two(['1', '1']), { producerId: 7 })],
  ])('with %s is left to kafkajs', async (_what, given) => {
    const theirs = await bytesOf({ protocol: ofKafkajs }, 7, given);
    expect((await bytesOf(mendedProduce, 7, given)).equals(theirs)).toBe(true);
  });

  it('of a version before 3 is left to kafkajs', () => {
    const make = jest.fn();
    const old: typeof produce = { protocol: () => make };
    mendProduce(old);
    expect(old.protocol({ version: 2 })).toBe(make);
    expect(old.protocol({ version: 3 })).not.toBe(make);
  });

  it('is patched once', () => {
    const before = mendedProduce.protocol;
    mendProduce(mendedProduce);
    expect(mendedProduce.protocol).toBe(before);
  });
});
