import { CompressionCodecs, CompressionTypes, Kafka, logLevel, Partitioners } from 'kafkajs';
import { kafkaLogs, newTopicPrefix } from '../testing/brokers';
import { Inbox, until } from '../testing/inbox';
import { Lines } from '../testing/outcome.app';

const brokers = process.env.KAFKA_BROKERS;

/** A frame of LZ4 with one block, which is not compressed: as valid as any other. */
function lz4Frame(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE((bytes.length | 0x80000000) >>> 0);
  return Buffer.concat([Buffer.from('04224d18604082', 'hex'), length, bytes, Buffer.alloc(4)]);
}

if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  describe('a compressed batch on Kafka', () => {
    const { opening, closeAll } = kafkaLogs(brokers);
    afterEach(closeAll);
    const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    const noCodec = CompressionCodecs[CompressionTypes.LZ4];

    /** As another producer does: the log itself has no codec for it. */
    async function produceLz4(topic: string): Promise<void> {
      const compress = ({ buffer }: { buffer: Buffer }) => Promise.resolve(lz4Frame(buffer));
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      CompressionCodecs[CompressionTypes.LZ4] = () => ({ compress, decompress: () => Promise.reject(new Error('no')) });
      try {
        const messages = [{ key: 'k', value: 'of another producer' }];
        await producer.send({ topic, compression: CompressionTypes.LZ4, messages });
      } finally {
        CompressionCodecs[CompressionTypes.LZ4] = noCodec;
        await producer.disconnect();
      }
    }

    async function keepCompressed(topic: string): Promise<void> {
      const admin = kafka.admin();
      await admin.connect();
      const configEntries = [{ name: 'compression.type', value: 'producer' }];
      await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
      await admin.disconnect();
    }

    async function readers(topicPrefix: string) {
      const { lines, ...logger } = new Lines();
      const log = await opening({ topicPrefix, topics: ['t'], partitions: 1, logger });
      const [group, follower] = [new Inbox(), new Inbox()];
      const read = async () => {
        await log.subscribe({ group: 'g', topics: ['t'], onBatch: group.take });
        await log.follow({ topics: ['t'], onBatch: follower.take });
      };
      return { log, read, group, follower, lines };
    }

    it('is read if another producer wrote it to a topic of ours, as the brokers decompress it', async () => {
      const topicPrefix = newTopicPrefix();
      const { log, read, group, follower } = await readers(topicPrefix);
      await produceLz4(`${topicPrefix}t`);
      await log.append([{ topic: 't', key: 'k', value: 'ours', headers: {} }]);
      await read();
      const both = ['of another producer', 'ours'];
      expect([await group.waitFor(2), await follower.waitFor(2)]).toEqual([both, both]);
    });

    it('is told as what it is if the brokers kept it so', async () => {
      const topicPrefix = newTopicPrefix();
      const { log, read, lines } = await readers(topicPrefix);
      await keepCompressed(`${topicPrefix}t`);
      // A broker may follow a change only a moment after it accepted it.
      const isTold = () =>
        log.read('t', 0, 0, 10).then(
          () => false,
          ({ message }: Error) => /lz4/.test(message),
        );
      do await produceLz4(`${topicPrefix}t`);
      while (!(await isTold()));
      await read();
      const told = (what: object) => lines.some(({ level, fields }) => level === 'error' && has(fields, what));
      await until(() => told({ group: 'g', why: 'compression_unsupported' }));
      await until(() => told({ topic: 't', code: 'compression_unsupported' }));
    });
  });
}

const has = (fields: object, what: object) =>
  Object.entries({ ...fields, ...what }).every(([name, value]) => (fields as Record<string, unknown>)[name] === value);
