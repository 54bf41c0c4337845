import { Kafka, logLevel, type EachBatchPayload } from 'kafkajs';
import { eventLogContract } from '../log.contract';
import type { NewRecord, RecordBatch } from '../log.port';
import { kafkaLogs, MAX_RECORD_BYTES, newTopicPrefix } from '../testing/brokers';
import { KafkaClients } from './kafka.client';
import { Inbox, until } from '../testing/inbox';

const brokers = process.env.KAFKA_BROKERS;

if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  const { open, opening, close, closeAll } = kafkaLogs(brokers);

  describe('KafkaLog', () => {
    eventLogContract(async () => {
      const topicPrefix = newTopicPrefix();
      let log = await open({ topicPrefix });
      let topics = 0;
      return {
        log,
        limit: MAX_RECORD_BYTES,
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
        close: () => Promise.resolve(close(log)),
      };
    });
  });

  describe('the log on Kafka', () => {
    const record = (key: string, value: string): NewRecord => ({ topic: 't', key, value, headers: {} });
    afterEach(closeAll);

    it('holds each acknowledged record once, in the order of its key, for any number of callers', async () => {
      const log = await opening({ topics: ['t'] });
      const callers = Array.from({ length: 20 }, async (_, caller) => {
        for (let round = 0; round < 40; round += 1) {
          await log.append([
            record(`k${caller}`, `${caller}/${round}/a`),
            record(`k${caller}`, `${caller}/${round}/b`),
          ]);
        }
      });
      await Promise.all(callers);
      const inbox = new Inbox();
      const follower = await log.follow({ topics: ['t'], onBatch: inbox.take });
      expect(await follower.caughtUp(20_000)).toBe(true);
      for (let caller = 0; caller < 20; caller += 1) {
        const mine = inbox.values.filter((value) => value.startsWith(`${caller}/`));
        const rounds = Array.from({ length: 40 }, (_, round) => [`${caller}/${round}/a`, `${caller}/${round}/b`]);
        expect(mine).toEqual(rounds.flat());
      }
    });

    it('takes an append that is larger than one request', async () => {
      const log = await opening({ topics: ['t'] });
      const records = Array.from({ length: 150 }, (_, i) => record('k', `${i} ${'x'.repeat(90_000)}`));
      await log.append(records);
      const inbox = new Inbox();
      await log.follow({ topics: ['t'], onBatch: inbox.take });
      await inbox.waitFor(150);
      expect(inbox.values.map((value) => Number(value.split(' ')[0]))).toEqual(records.map((_, i) => i));
    });

    it('refuses appends beyond its limit of waiting bytes, and to a topic that does not exist', async () => {
      const log = await opening({ topics: ['t'], maxWaitingBytes: 50_000 });
      const value = 'x'.repeat(30_000);
      const appends = await Promise.allSettled([1, 2, 3].map(() => log.append([record('k', value)])));
      expect(appends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      await log.append([record('k', value)]);
      const nowhere = log.append([{ ...record('k', 'v'), topic: 'nowhere' }]);
      await expect(nowhere).rejects.toMatchObject({ code: 'log_unavailable', retryable: true });
      await log.append([record('k', 'still works')]);
    });

    it('fails to open as unavailable when there is no broker', async () => {
      const refused = open({ brokers: ['127.0.0.1:1'], topics: ['t'], openTimeoutMs: 1 });
      await expect(refused).rejects.toMatchObject({ code: 'log_unavailable', retryable: true });
    });

    it('loses nothing when members join and leave, and never moves a position back', async () => {
      const topicPrefix = newTopicPrefix();
      const [one, two] = await Promise.all([1, 2].map(() => opening({ topicPrefix, topics: ['t'] })));
      const seen = new Set<string>();
      const shares = new Map<string, number>();
      const taking = (name: string) => async (batch: RecordBatch) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        for (const { value } of batch.records) seen.add(value.toString());
        shares.set(name, (shares.get(name) ?? 0) + batch.records.length);
      };
      const sent: string[] = [];
      const sendUntil = async (enough: () => boolean) => {
        for (let more = 20; more > 0; more -= enough() ? 1 : 0) {
          const values = Array.from({ length: 10 }, (_, i) => String(sent.length + i));
          await one!.append(values.map((value) => record(`k${value}`, value)));
          sent.push(...values);
        }
      };
      const highest = new Map<number, number>();
      const look = async () => {
        for (const { partition, committed } of await one!.positions('g', ['t'])) {
          expect(committed).toBeGreaterThanOrEqual(highest.get(partition) ?? 0);
          highest.set(partition, committed);
        }
      };
      const options = { group: 'g', topics: ['t'], maxRecords: 50 };
      const first = await one!.subscribe({ ...options, onBatch: taking('first') });
      await sendUntil(() => (shares.get('first') ?? 0) > 0);
      const second = await two!.subscribe({ ...options, onBatch: taking('second') });
      await sendUntil(() => (shares.get('second') ?? 0) > 0);
      await look();
      await first.close();
      await look();
      await sendUntil(() => true);
      expect(await second.caughtUp(20_000)).toBe(true);
      await look();
      expect(sent.filter((value) => !seen.has(value))).toEqual([]);
      expect((await two!.positions('g', ['t'])).reduce((sum, { lag }) => sum + lag, 0)).toBe(0);
    });

    /** As kafkajs' `setOffsets` does, which waits for five seconds. The topic must have records. */
    async function commit(groupId: string, topic: string, partition: number, offset: string): Promise<void> {
      const kafka = new Kafka({ brokers: brokers!.split(','), logLevel: logLevel.NOTHING });
      const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 10 });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      const offsets = { topics: [{ topic, partitions: [{ partition, offset }] }] };
      await new Promise<void>((resolve, reject) => {
        const eachBatch = async ({ commitOffsetsIfNecessary }: EachBatchPayload) =>
          commitOffsetsIfNecessary(offsets).then(resolve, reject);
        consumer.run({ autoCommit: false, eachBatch }).catch(reject);
      });
      await consumer.disconnect();
    }

    it('counts as lag what a group reads again because its position is past the end, as of an earlier topic', async () => {
      const topicPrefix = newTopicPrefix();
      const log = await opening({ topicPrefix, topics: ['t'], partitions: 1 });
      await log.append(['a', 'b', 'c'].map((value) => record('k', value)));
      await commit(`${topicPrefix}g.t`, `${topicPrefix}t`, 0, '500');
      expect(await log.positions('g', ['t'])).toEqual([{ topic: 't', partition: 0, committed: 0, end: 3, lag: 3 }]);
      const inbox = new Inbox();
      await log.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
      expect(await inbox.waitFor(3)).toEqual(['a', 'b', 'c']);
    });

    it('keeps its partitions during a batch that takes longer than a session', async () => {
      // 6 s is the shortest session that brokers accept by default.
      const log = await opening({ topics: ['t'], sessionTimeoutMs: 6_000 });
      await log.append([record('k', 'long')]);
      let calls = 0;
      const subscription = await log.subscribe({
        group: 'g',
        topics: ['t'],
        onBatch: async () => {
          calls += 1;
          await new Promise((resolve) => setTimeout(resolve, 7_000));
        },
      });
      expect(await subscription.caughtUp(20_000)).toBe(true);
      expect(calls).toBe(1);
    });

    /** A member with this client id that takes what there is and shows no sign of life from then on; its session outlasts any test. */
    async function silentMember(topicPrefix: string, clientId: string): Promise<() => Promise<void>> {
      const session = { sessionTimeout: 300_000, rebalanceTimeout: 300_000 };
      const kafka = new Kafka({ clientId, brokers: brokers!.split(','), logLevel: logLevel.NOTHING });
      const consumer = kafka.consumer({ groupId: `${topicPrefix}g.t`, ...session });
      await consumer.connect();
      await consumer.subscribe({ topic: `${topicPrefix}t`, fromBeginning: true });
      let end = () => {};
      const over = new Promise<void>((resolve) => (end = resolve));
      await new Promise<void>((taken) => consumer.run({ eachBatch: () => (taken(), over) }));
      return () => (end(), consumer.disconnect());
    }

    it('takes over from a killed process without waiting for the end of its session', async () => {
      const topicPrefix = newTopicPrefix();
      const one = await opening({ topicPrefix, topics: ['t'] });
      await one.append([record('k', 'left')]);
      const end = await silentMember(topicPrefix, `tests-p-${'0'.repeat(8)}-g.t`);
      try {
        const two = await opening({ topicPrefix, topics: ['t'], place: 'p', instance: `p-${'1'.repeat(8)}` });
        const inbox = new Inbox();
        await two.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
        await inbox.waitFor(1);
      } finally {
        await end();
      }
    });

    it('takes over from its own lost consumer that could not leave the group', async () => {
      const topicPrefix = newTopicPrefix();
      const log = await opening({ topicPrefix, topics: ['t'], instance: 'same' });
      await log.append([record('k', 'left')]);
      const end = await silentMember(topicPrefix, 'tests-same-g.t');
      const { consumer } = KafkaClients.prototype;
      const lost = (...args: Parameters<typeof consumer>) => ({
        ...consumer.apply(clients.mock.contexts[0] as KafkaClients, args),
        connect: () => Promise.reject(new Error('the connection broke')),
      });
      const clients = jest.spyOn(KafkaClients.prototype, 'consumer').mockImplementationOnce(lost);
      try {
        const inbox = new Inbox();
        await log.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
        await inbox.waitFor(1);
        expect(clients).toHaveBeenCalledTimes(2);
      } finally {
        clients.mockRestore();
        await end();
      }
    });

    it('lets another member join while a handler keeps rejecting', async () => {
      const topicPrefix = newTopicPrefix();
      const [one, two] = await Promise.all([1, 2].map(() => opening({ topicPrefix, topics: ['t'] })));
      await one!.append(Array.from({ length: 40 }, (_, i) => record(`k${i}`, String(i))));
      let tries = 0;
      const onBatch = () => ((tries += 1), Promise.reject(new Error('never')));
      await one!.subscribe({ group: 'g', topics: ['t'], onBatch });
      await until(() => tries > 0);
      const inbox = new Inbox();
      await two!.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
      await inbox.waitFor(1);
    });
  });
}
