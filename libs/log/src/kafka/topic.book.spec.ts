import type { Admin } from 'kafkajs';
import { SILENT_LOGGER } from '../log.lines';
import { Lines } from '../testing/outcome.app';
import { BrokerAdmin } from './broker.admin';
import type { KafkaClients } from './kafka.client';
import { settingsOf, type KafkaLogOptions } from './kafka.options';
import { TopicBook } from './topic.book';

/** A book over brokers that answer `metadata` about a topic. */
function book(
  metadata: () => Promise<unknown>,
  more: object = {},
  logger = SILENT_LOGGER,
  options: Partial<KafkaLogOptions> = {},
): TopicBook {
  const admin = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchTopicMetadata: metadata,
    describeCluster: () => Promise.resolve({ brokers: [{}] }),
    ...more,
  } as unknown as Admin;
  const settings = settingsOf({
    logger,
    brokers: ['localhost:9092'],
    clientId: 'book',
    instance: 'i',
    retention: { days: 1, keepWhole: [] },
    topicPrefix: 'shop-',
    ...options,
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
    topics.forget('dead-letter');
    await topics.of('dead-letter');
    expect(metadata).toHaveBeenCalledTimes(3);
  });

  it('is not blamed for another fault of the brokers', async () => {
    const away = () => Promise.reject(Object.assign(new Error('no'), { type: 'LEADER_NOT_AVAILABLE' }));
    await expect(book(away).of('dead-letter')).rejects.toThrow('LEADER_NOT_AVAILABLE');
  });

  it('is not reported when the brokers refuse to describe it: the missing right is', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' }));
    await expect(book(refused).of('dead-letter')).rejects.toMatchObject({
      message: expect.stringContaining('lacks the right Describe on shop-dead-letter') as string,
    });
  });
});

/** What is logged about a topic with so many copies, of which `inSync` must have a record, on so many brokers. */
async function told(
  replicas: number,
  inSync: string,
  { replication = -1, brokers = replicas } = {},
): Promise<unknown[]> {
  const { lines, ...logger } = new Lines();
  const partitions = Array(8).fill({ replicas: Array.from({ length: replicas }, (_, node) => node) });
  const configEntries = [{ configName: 'min.insync.replicas', configValue: inSync }];
  const more = {
    describeConfigs: () => Promise.resolve({ resources: [{ configEntries }] }),
    describeCluster: () => Promise.resolve({ brokers: Array(brokers).fill({}) }),
  };
  const metadata = () => Promise.resolve({ topics: [{ partitions }] });
  await book(metadata, more, logger, { replication }).of('dead-letter');
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

describe('a topic of a single copy', () => {
  it('is warned of if there are several brokers, unless that was configured', async () => {
    const fields = { topic: 'shop-dead-letter', setting: 'replication', wanted: '3', is: '1' };
    expect(await told(1, '1', { brokers: 3 })).toEqual([['warn', fields]]);
    expect(await told(1, '1', { brokers: 1 })).toEqual([]);
    expect(await told(1, '1', { brokers: 3, replication: 1 })).toEqual([]);
  });
});

describe('a topic with another number of copies than is configured', () => {
  it('is warned of, as it is left as it is', async () => {
    const fields = { topic: 'shop-dead-letter', setting: 'replication', wanted: '2', is: '1' };
    expect(await told(1, '1', { replication: 2 })).toEqual([['warn', fields]]);
    expect(await told(2, '2', { replication: 2 })).toEqual([]);
  });
});

describe('the retention of a topic', () => {
  const metadata = () => Promise.resolve({ topics: [{ partitions: [{ replicas: [0] }] }] });
  const [own, other] = [1, 5];
  const configEntries = [
    { configName: 'retention.ms', configValue: '1000', configSource: own },
    { configName: 'segment.ms', configValue: '777', configSource: own },
    { configName: 'max.message.bytes', configValue: '5000000', configSource: other },
  ];
  const describeConfigs = () => Promise.resolve({ resources: [{ configEntries }] });
  const configured = { name: 'retention.ms', value: '86400000' };
  const retentionLines = async (alterConfigs: () => Promise<unknown>, options: Partial<KafkaLogOptions> = {}) => {
    const { lines, ...logger } = new Lines();
    const facts = await book(metadata, { describeConfigs, alterConfigs }, logger, options).of('dead-letter');
    expect(facts).toEqual({ name: 'shop-dead-letter', partitions: 1, batchBytes: 5_000_000 });
    return lines
      .map(({ fields }) => fields as { setting: string })
      .filter(({ setting }) => setting === configured.name);
  };

  it('is changed to the configured one, beside its other settings', async () => {
    const alterConfigs = jest.fn(() => Promise.resolve());
    const changed = { topic: 'shop-dead-letter', setting: 'retention.ms', was: '1000', is: configured.value };
    expect(await retentionLines(alterConfigs)).toEqual([changed]);
    const kept = { name: 'segment.ms', value: '777' };
    expect(alterConfigs).toHaveBeenCalledWith(
      expect.objectContaining({ resources: [expect.objectContaining({ configEntries: [configured, kept] })] }),
    );
  });

  it('is left as it is by a tool, which may be set up in another way than the services', async () => {
    const alterConfigs = jest.fn(() => Promise.resolve());
    const left = { topic: 'shop-dead-letter', setting: 'retention.ms', wanted: configured.value, is: '1000' };
    expect(await retentionLines(alterConfigs, { topicsAsTheyAre: true })).toEqual([left]);
    expect(alterConfigs).not.toHaveBeenCalled();
  });

  it('is left as it is if the brokers refuse the change, and the topic is used', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' }));
    expect(await retentionLines(refused)).toMatchObject([
      { code: 'TOPIC_AUTHORIZATION_FAILED', needs: 'AlterConfigs' },
      { wanted: configured.value, is: '1000' },
    ]);
  });

  it('is not changed if it is the configured one', async () => {
    const alterConfigs = jest.fn(() => Promise.resolve());
    expect(await retentionLines(alterConfigs, { retention: { days: 1000 / 86_400_000, keepWhole: [] } })).toEqual([]);
    expect(alterConfigs).not.toHaveBeenCalled();
  });
});

describe('the compression of a topic', () => {
  const metadata = () => Promise.resolve({ topics: [{ partitions: Array(8).fill({ replicas: [0] }) }] });
  const compressedBy = async (configValue: string, options: Partial<KafkaLogOptions> = {}) => {
    const { lines, ...logger } = new Lines();
    const configEntries = [{ configName: 'compression.type', configValue, configSource: 1 }];
    const describeConfigs = () => Promise.resolve({ resources: [{ configEntries }] });
    const alterConfigs = jest.fn(() => Promise.resolve());
    await book(metadata, { describeConfigs, alterConfigs }, logger, options).of('dead-letter');
    return { told: lines.map(({ level, fields }) => [level, fields]), changed: alterConfigs.mock.calls };
  };
  const about = { topic: 'shop-dead-letter', setting: 'compression.type' };

  it('is turned off if brokers would keep what cannot be read, which is told also of what they have kept', async () => {
    const { told, changed } = await compressedBy('zstd');
    expect(told).toEqual([
      ['warn', { ...about, was: 'zstd', is: 'uncompressed' }],
      ['error', { ...about, is: 'zstd', code: 'compression_unsupported' }],
    ]);
    expect(changed).toMatchObject([
      [{ resources: [{ configEntries: [{ name: 'compression.type', value: 'uncompressed' }] }] }],
    ]);
    expect(await compressedBy('producer')).toMatchObject({ told: [['warn', { was: 'producer', is: 'uncompressed' }]] });
  });

  it('is left as it is if it can be read', async () => {
    for (const type of ['gzip', 'uncompressed']) expect(await compressedBy(type)).toEqual({ told: [], changed: [] });
  });

  it('is only told by a tool', async () => {
    expect(await compressedBy('lz4', { topicsAsTheyAre: true })).toMatchObject({
      told: [
        ['error', { is: 'lz4' }],
        ['warn', { wanted: 'uncompressed', is: 'lz4' }],
      ],
      changed: [],
    });
  });
});

it('a topic whose settings the brokers do not tell takes batches of the configured size', async () => {
  const metadata = () => Promise.resolve({ topics: [{ partitions: [{ replicas: [0, 1] }, { replicas: [0] }] }] });
  const describeConfigs = () => Promise.reject(new Error('refused'));
  const { lines, ...logger } = new Lines();
  const facts = await book(metadata, { describeConfigs }, logger, { replication: 2 }).of('dead-letter');
  expect(facts.batchBytes).toBe(3 * 1024 * 1024);
  // A topic has as many copies as its worst partition.
  expect(lines.map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ setting: 'replication', is: '1' }),
  );
});

it('a process that creates no topics notices that no broker answers', async () => {
  const describeCluster = () => Promise.reject(new Error('away'));
  const topics = book(() => Promise.reject(new Error('not asked')), { describeCluster });
  await expect(topics.make([])).rejects.toMatchObject({ code: 'log_unavailable' });
});
