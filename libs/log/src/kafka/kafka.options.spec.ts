import { maxBatchBytes, settingsOf, topicConfig, type KafkaLogOptions } from './kafka.options';

const options: KafkaLogOptions = {
  brokers: ['k:9092'],
  clientId: 'c',
  instance: 'i',
  retention: { days: 30, keepWhole: ['whole'] },
};

describe('options of the log on Kafka', () => {
  it.each([{ brokers: [] }, { partitions: 0 }, { partitions: 1.5 }, { replication: 0 }, { maxRecordBytes: 9 << 20 }])(
    'are refused: %j',
    (wrong) => {
      const refused = () => settingsOf({ ...options, ...wrong });
      expect(refused).toThrow(expect.objectContaining({ code: 'log_option_refused' }));
    },
  );

  it('keep a topic by age, forever, or by the last record of each key', () => {
    const settings = settingsOf(options);
    expect(topicConfig('t', settings)).toMatchObject({ 'cleanup.policy': 'delete', 'retention.ms': '2592000000' });
    const forEver = settingsOf({ ...options, retention: { days: 0, keepWhole: [] } });
    expect(topicConfig('t', forEver)).toMatchObject({ 'cleanup.policy': 'delete', 'retention.ms': '-1' });
    const whole = topicConfig('whole', settings);
    expect(whole).toMatchObject({ 'cleanup.policy': 'compact', 'min.compaction.lag.ms': '604800000' });
    expect(whole).not.toHaveProperty(['retention.ms']);
  });

  it('keep foreign batches readable: kafkajs cannot decompress lz4, snappy and zstd', () => {
    expect(topicConfig('t', settingsOf(options))).toHaveProperty(['compression.type'], 'uncompressed');
  });

  it('require two in-sync replicas when there are three', () => {
    expect(topicConfig('t', settingsOf({ ...options, replication: 3 }))).toHaveProperty(['min.insync.replicas'], '2');
    expect(topicConfig('t', settingsOf(options))).not.toHaveProperty(['min.insync.replicas']);
  });

  it('make room for the largest record', () => {
    for (const maxRecordBytes of [1, 1 << 20, 8 << 20]) {
      const settings = settingsOf({ ...options, maxRecordBytes });
      expect(maxBatchBytes(settings)).toBeGreaterThanOrEqual(maxRecordBytes + 64 * 1024);
    }
  });
});
