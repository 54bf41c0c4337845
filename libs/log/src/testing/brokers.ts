import { randomUUID } from 'node:crypto';
import { KafkaLog } from '../kafka/kafka.log';
import type { KafkaLogOptions } from '../kafka/kafka.options';

export const MAX_RECORD_BYTES = 100_000;

export const newTopicPrefix = (): string => `t-${randomUUID().slice(0, 8)}-`;

/**
 * Logs on these brokers, each with topics of its own unless `topicPrefix` is given. `closeAll` closes those of `opening`.
 * Closing waits for fetches, half a second: only the end of the suite waits for it, as no test uses a log of another.
 */
export function kafkaLogs(brokers: string) {
  const opened: KafkaLog[] = [];
  const closings: Promise<void>[] = [];
  const close = (log: KafkaLog) => void closings.push(log.close());
  afterAll(() => Promise.all(closings));
  const open = (more: Partial<KafkaLogOptions> = {}) =>
    KafkaLog.open({
      brokers: brokers.split(','),
      clientId: 'tests',
      instance: randomUUID(),
      topicPrefix: newTopicPrefix(),
      retention: { days: 30, keepWhole: [] },
      partitions: 4,
      replication: 1,
      maxRecordBytes: MAX_RECORD_BYTES,
      openTimeoutMs: 10_000,
      ...more,
    });
  return {
    open,
    opening: async (more?: Partial<KafkaLogOptions>) => {
      const log = await open(more);
      opened.push(log);
      return log;
    },
    close,
    closeAll: () => opened.splice(0).forEach(close),
  };
}
