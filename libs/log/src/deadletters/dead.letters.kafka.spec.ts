import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { TOPICS } from '@lettermill/events';
import { KafkaLog } from '../kafka/kafka.log';
import { deadLettersContract } from './dead.letters.contract';

const brokers = process.env.KAFKA_BROKERS;

if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  describe('dead letters on Kafka', () => {
    deadLettersContract(async () => {
      const topicPrefix = `t-${randomUUID().slice(0, 8)}-`;
      const open = () =>
        KafkaLog.open({
          brokers: brokers.split(','),
          clientId: 'tests',
          instance: randomUUID(),
          topicPrefix,
          topics: [TOPICS.messageOutcome, TOPICS.deadLetter],
          partitions: 4,
          replication: 1,
          retention: { days: 30, keepWhole: [] },
          openTimeoutMs: 10_000,
        });
      let log = await open();
      return {
        get log() {
          return log;
        },
        reopen: async () => {
          await log.close();
          return (log = await open());
        },
        close: () => log.close(),
      };
    });
  });
}
