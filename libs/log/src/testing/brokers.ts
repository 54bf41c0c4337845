import { randomUUID } from 'node:crypto';
import type * as Kafkajs from 'kafkajs';
import { KafkaLog } from '../kafka/kafka.log';
import type { KafkaLogOptions } from '../kafka/kafka.options';
import { deleteTopics } from './topics';

export const MAX_RECORD_BYTES = 100_000;

export const newTopicPrefix = (): string => `t-${randomUUID().slice(0, 8)}-`;

/** A copy of its own, because the one that the product mends lists no topics. */
function unmended(): typeof Kafkajs {
  let kafkajs!: typeof Kafkajs;
  jest.isolateModules(() => (kafkajs = jest.requireActual('kafkajs')));
  return kafkajs;
}

/**
 * Logs on these brokers, each with topics of its own unless `topicPrefix` is given; the topics are deleted after the suite. `closeAll`
 * closes the logs of `opening`. Closing waits for fetches, half a second: only the end of the suite waits for it, as no test uses a log
 * of another.
 */
export function kafkaLogs(brokers: string) {
  const opened: KafkaLog[] = [];
  const closings: Promise<void>[] = [];
  const prefixes = new Set<string>();
  const close = (log: KafkaLog) => void closings.push(log.close());
  afterAll(async () => {
    await Promise.all(closings);
    // Brokers that serve many runs would become slow by topics that nobody uses any more.
    await deleteTopics(unmended(), brokers, [...prefixes]);
  });
  const open = (more: Partial<KafkaLogOptions> = {}) => {
    const topicPrefix = more.topicPrefix ?? newTopicPrefix();
    prefixes.add(topicPrefix);
    return KafkaLog.open({
      brokers: brokers.split(','),
      clientId: 'tests',
      instance: randomUUID(),
      retention: { days: 30, keepWhole: [] },
      partitions: 4,
      replication: 1,
      maxRecordBytes: MAX_RECORD_BYTES,
      openTimeoutMs: 10_000,
      ...more,
      topicPrefix,
    });
  };
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
