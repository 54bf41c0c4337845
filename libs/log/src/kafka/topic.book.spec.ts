import type { Admin } from 'kafkajs';
import { SILENT_LOGGER } from '../log.lines';
import { Lines } from '../testing/outcome.app';
import { BrokerAdmin } from './broker.admin';
import type { KafkaClients } from './kafka.client';
import { settingsOf } from './kafka.options';
import { TopicBook } from './topic.book';

/** A book over brokers that answer `metadata` about a topic. */
function book(
  metadata: () => Promise<unknown>,
  more: object = {},
  logger = SILENT_LOGGER,
  replication?: number,
): TopicBook {
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
    ...(replication !== undefined && { replication }),
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

  it('is looked up again each time, until it is there', async () => {
    const metadata = jest.fn(() => Promise.resolve({ topics: [{ partitions: [{ replicas: [0] }] }] }));
    metadata.mockRejectedValueOnce(Object.assign(new Error('no'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' }));
    const topics = book(metadata, { describeConfigs: () => Promise.resolve({ resources: [] }) });
    await expect(topics.of('dead-letter')).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(await topics.of('dead-letter')).toMatchObject({ name: 'shop-dead-letter', partitions: 1 });
    await topics.of('dead-letter');
    expect(metadata).toHaveBeenCalledTimes(2);
  });

  it('is not reported when the brokers refuse to describe it: the missing right is', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' }));
    await expect(book(refused).of('dead-letter')).rejects.toMatchObject({
      message: expect.stringContaining('lacks the right Describe on shop-dead-letter') as string,
    });
  });
});

/** What is logged about a topic with so many copies, of which `inSync` must have a record. */
async function told(replicas: number, inSync: string, replication?: number): Promise<unknown[]> {
  const { lines, ...logger } = new Lines();
  const partitions = Array(8).fill({ replicas: Array.from({ length: replicas }, (_, node) => node) });
  const configEntries = [{ configName: 'min.insync.replicas', configValue: inSync }];
  const describeConfigs = () => Promise.resolve({ resources: [{ configEntries }] });
  const metadata = () => Promise.resolve({ topics: [{ partitions }] });
  await book(metadata, { describeConfigs }, logger, replication).of('dead-letter');
  return lines.map(({ level, fields }) => [level, fields]);
}

describe('a topic of several copies', () => {
  it('is warned of if a single one of them is enough for a 202', async () => {
    const fields = { topic: 'shop-dead-letter', setting: 'min.insync.replicas', wanted: '2', is: '1' };
    expect(await told(3, '1')).toEqual([['warn', fields]]);
    expect(await told(3, '2')).toEqual([]);
    expect(await told(1, '1')).toEqual([]);
  });
});

describe('a topic with another number of copies than is configured', () => {
  it('is warned of, as it is left as it is', async () => {
    const fields = { topic: 'shop-dead-letter', setting: 'replication', wanted: '2', is: '1' };
    expect(await told(1, '1', 2)).toEqual([['warn', fields]]);
    expect(await told(2, '2', 2)).toEqual([]);
  });
});
