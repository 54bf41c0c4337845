import type { Admin } from 'kafkajs';
import { SILENT_LOGGER } from '../log.lines';
import { Lines } from '../testing/outcome.app';
import { BrokerAdmin } from './broker.admin';
import type { KafkaClients } from './kafka.client';
import { settingsOf } from './kafka.options';
import { TopicBook } from './topic.book';

/** A book over brokers that answer `metadata` about a topic. */
function book(metadata: () => Promise<unknown>, more: object = {}, logger = SILENT_LOGGER): TopicBook {
  const admin = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchTopicMetadata: metadata,
    ...more,
  } as unknown as Admin;
  const settings = settingsOf({
    logger,
    brokers: ['localhost:9092'],
    clientId: 'book',
    instance: 'i',
    retention: { days: 1, keepWhole: [] },
    topicPrefix: 'shop-',
  });
  return new TopicBook(settings, {} as KafkaClients, new BrokerAdmin(() => admin));
}

describe('a topic that the brokers do not have', () => {
  it.each([
    ['by an error', () => Promise.reject(Object.assign(new Error('no'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' }))],
    ['by no partitions', () => Promise.resolve({ topics: [] })],
  ])('is reported with its prefix, whether they say so %s', async (_, metadata) => {
    await expect(book(metadata).of('dead-letter')).rejects.toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining('the brokers have no topic shop-dead-letter') as string,
    });
  });

  it('is not reported when the brokers refuse to describe it: the missing right is', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' }));
    await expect(book(refused).of('dead-letter')).rejects.toMatchObject({
      message: expect.stringContaining('lacks the right Describe on shop-dead-letter') as string,
    });
  });
});

describe('a topic of several copies', () => {
  const told = async (replicas: number, inSync: string) => {
    const { lines, ...logger } = new Lines();
    const partitions = Array(8).fill({ replicas: Array.from({ length: replicas }, (_, node) => node) });
    const configEntries = [{ configName: 'min.insync.replicas', configValue: inSync }];
    const describeConfigs = () => Promise.resolve({ resources: [{ configEntries }] });
    const metadata = () => Promise.resolve({ topics: [{ partitions }] });
    await book(metadata, { describeConfigs }, logger).of('dead-letter');
    return lines.map(({ level, fields }) => [level, fields]);
  };

  it('is warned of if a single one of them is enough for a 202', async () => {
    const fields = { topic: 'shop-dead-letter', setting: 'min.insync.replicas', wanted: '2', is: '1' };
    expect(await told(3, '1')).toEqual([['warn', fields]]);
    expect(await told(3, '2')).toEqual([]);
    expect(await told(1, '1')).toEqual([]);
  });
});
