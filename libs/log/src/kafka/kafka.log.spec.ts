import { randomUUID } from 'node:crypto';
import { describeEventLog } from '../log.contract';
import { KafkaLog } from './kafka.log';
import type { KafkaLogOptions } from './kafka.options';

const brokers = process.env.KAFKA_BROKERS;
const LIMIT = 100_000;

if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  const open = (more: Partial<KafkaLogOptions> = {}) =>
    KafkaLog.open({
      brokers: brokers.split(','),
      clientId: 'tests',
      instance: randomUUID(),
      topicPrefix: `t-${randomUUID().slice(0, 8)}-`,
      retention: { days: 30, keepWhole: [] },
      partitions: 4,
      replication: 1,
      maxRecordBytes: LIMIT,
      openTimeoutMs: 10_000,
      ...more,
    });

  describeEventLog('kafka', async () => {
    const topicPrefix = `t-${randomUUID().slice(0, 8)}-`;
    let log = await open({ topicPrefix });
    let topics = 0;
    return {
      log,
      limit: LIMIT,
      topic: async () => {
        const topic = `topic-${(topics += 1)}`;
        await log.makeTopics([topic]);
        return topic;
      },
      reopen: async () => {
        await log.close();
        log = await open({ topicPrefix });
        return log;
      },
      close: () => log.close(),
    };
  });
}
