import { KafkaJSProtocolError, type Admin } from 'kafkajs';
import { createMissingTopics } from './topic.maker';

const TOPICS = [{ topic: 'orders', numPartitions: 2, replicationFactor: 1 }];

function fault(type: string): Error {
  const error = new KafkaJSProtocolError(new Error(type));
  return Object.assign(error, { type });
}

/** A broker that fails with these errors before it leads the topic that it was told to create. Answers only about topics that are named. */
function newMaker(faults: Error[], there = false) {
  const asked: string[] = [];
  const made: string[] = [];
  const next = () => {
    const error = faults.shift();
    return error ? Promise.reject(error) : Promise.resolve([]);
  };
  const admin = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    createTopics: ({ topics }: { topics: { topic: string }[] }) => {
      made.push(...topics.map(({ topic }) => topic));
      return Promise.resolve(true);
    },
    fetchTopicMetadata: ({ topics }: { topics: string[] }) => {
      if (topics.length === 0) return Promise.reject(fault('LEADER_NOT_AVAILABLE'));
      if (!there && made.length === 0) return Promise.reject(fault('UNKNOWN_TOPIC_OR_PARTITION'));
      return Promise.resolve(asked.push('who leads'));
    },
    fetchTopicOffsets: () => (asked.push('where it ends'), next()),
  };
  return { admin: () => admin as unknown as Admin, asked, made };
}

describe('creating topics', () => {
  it('asks only for the given topics, and creates none that exists', async () => {
    const { admin, asked, made } = newMaker([], true);
    await createMissingTopics(admin, TOPICS);
    expect(asked).toEqual(['who leads']);
    expect(made).toEqual([]);
  });

  it('creates missing topics', async () => {
    const { admin, made } = newMaker([]);
    await createMissingTopics(admin, TOPICS);
    expect(made).toEqual(['orders']);
  });

  it('ends when the leaders of the topic take requests, not when they are known', async () => {
    const { admin, asked } = newMaker([fault('NOT_LEADER_FOR_PARTITION'), fault('UNKNOWN_TOPIC_OR_PARTITION')]);
    await createMissingTopics(admin, TOPICS);
    expect(asked.filter((question) => question === 'where it ends')).toHaveLength(3);
  });

  it('looks up the leaders again before it retries', async () => {
    const { admin, asked } = newMaker([fault('NOT_LEADER_FOR_PARTITION')]);
    await createMissingTopics(admin, TOPICS);
    expect(asked).toEqual(['who leads', 'where it ends', 'who leads', 'where it ends']);
  });

  it('fails at once on other errors', async () => {
    const { admin, asked } = newMaker([fault('TOPIC_AUTHORIZATION_FAILED')]);
    await expect(createMissingTopics(admin, TOPICS)).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['Describe', 'fetchTopicMetadata'],
    ['Create', 'createTopics'],
  ])('names the topic and the right %s when the brokers refuse it', async (right, call) => {
    const { admin } = newMaker([]);
    const refusing = { ...admin(), [call]: () => Promise.reject(fault('TOPIC_AUTHORIZATION_FAILED')) };
    const making = createMissingTopics(() => refusing, TOPICS);
    await expect(making).rejects.toThrow(`the Kafka user lacks the right ${right} on orders:`);
  });
});
