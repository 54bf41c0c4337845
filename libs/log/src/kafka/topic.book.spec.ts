import type { Admin } from 'kafkajs';
import { BrokerAdmin } from './broker.admin';
import type { KafkaClients } from './kafka.client';
import { settingsOf } from './kafka.options';
import { TopicBook } from './topic.book';

/** A book over brokers that have none of the topics; `metadata` is one of the two ways in which they say so. */
function book(metadata: () => Promise<unknown>): TopicBook {
  const admin = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchTopicMetadata: metadata,
  } as unknown as Admin;
  const settings = settingsOf({
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
