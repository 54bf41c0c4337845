import { randomUUID } from 'node:crypto';
import { pause } from '@lettermill/concurrency';
import { Kafka, logLevel } from 'kafkajs';
import { describeEventLog } from '../log.contract';
import type { NewRecord, RecordBatch } from '../log.port';
import { Inbox, until } from '../testing/inbox';
import { Lines } from '../testing/outcome.app';
import { KafkaLog } from './kafka.log';
import type { KafkaLogOptions } from './kafka.options';
import { changeSettings, settingsOfTopic } from './topic.settings';

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

  describe('the log on Kafka', () => {
    const opened: KafkaLog[] = [];
    const opening = async (more: Partial<KafkaLogOptions> = {}) => {
      const log = await open(more);
      opened.push(log);
      return log;
    };
    const record = (key: string, value: string): NewRecord => ({ topic: 't', key, value, headers: {} });
    const prefixOf = () => `t-${randomUUID().slice(0, 8)}-`;
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((log) => log.close()));
    });

    it('has each acknowledged record once, in the order of its key, however many callers there are', async () => {
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
      await inbox.holds(150);
      expect(inbox.values.map((value) => Number(value.split(' ')[0]))).toEqual(records.map((_, i) => i));
    });

    it('refuses what it has no room to keep waiting, and a topic that is not there', async () => {
      const log = await opening({ topics: ['t'], maxWaitingBytes: 50_000 });
      const value = 'x'.repeat(30_000);
      const appends = await Promise.allSettled([1, 2, 3].map(() => log.append([record('k', value)])));
      expect(appends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      await log.append([record('k', value)]);
      const nowhere = log.append([{ ...record('k', 'v'), topic: 'nowhere' }]);
      await expect(nowhere).rejects.toMatchObject({ code: 'log_unavailable', retryable: true });
      await log.append([record('k', 'still works')]);
    });

    it('says when there is no broker', async () => {
      const refused = open({ brokers: ['127.0.0.1:1'], topics: ['t'], openTimeoutMs: 1 });
      await expect(refused).rejects.toMatchObject({ code: 'log_unavailable', retryable: true });
    });

    it('lets several processes make the topics at once, and tells what is otherwise than configured', async () => {
      const topicPrefix = prefixOf();
      const retention = { days: 30, keepWhole: ['whole'] };
      const topics = ['t', 'whole'];
      const logs = await Promise.all([1, 2, 3].map(() => opening({ topicPrefix, topics, retention })));
      expect(await Promise.all(logs.map((log) => log.partitions('whole')))).toEqual([4, 4, 4]);
      const { lines, ...logger } = new Lines();
      const other = { partitions: 6, retention: { days: 7, keepWhole: [] } };
      const log = await opening({ topicPrefix, topics, ...other, logger });
      expect(await log.partitions('t')).toBe(4);
      const told = lines.map(({ fields }) => Object.values(fields));
      expect(told.sort()).toEqual(
        [
          [`${topicPrefix}t`, 'partitions', '6', '4'],
          [`${topicPrefix}t`, 'retention.ms', '2592000000', '604800000'],
          [`${topicPrefix}whole`, 'cleanup.policy', 'delete', 'compact'],
          [`${topicPrefix}whole`, 'partitions', '6', '4'],
        ].sort(),
      );
    });

    it('says nothing of a race for topics that are not there yet', async () => {
      const topics = ['t', 'u', 'v', 'w', 'x', 'y'];
      for (let round = 0; round < 3; round += 1) {
        const topicPrefix = prefixOf();
        const { lines, ...logger } = new Lines();
        await Promise.all([1, 2, 3, 4, 5].map(() => opening({ topicPrefix, topics, logger })));
        expect(lines).toEqual([]);
      }
    });

    it('says why topics can not be made', async () => {
      const { lines, ...logger } = new Lines();
      const refused = open({ topics: ['t'], replication: 99, openTimeoutMs: 1, logger });
      await expect(refused).rejects.toThrow('INVALID_REPLICATION_FACTOR');
      const patient = open({ topics: ['t'], replication: 99, openTimeoutMs: 1_500, logger });
      await expect(patient).rejects.toMatchObject({ code: 'log_unavailable' });
      expect(lines).toContainEqual(expect.objectContaining({ fields: { code: 'INVALID_REPLICATION_FACTOR' } }));
    });

    it('changes how long a topic keeps its records, and nothing else that was set', async () => {
      const topicPrefix = prefixOf();
      await opening({ topicPrefix, topics: ['t'] });
      const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      const settings = async () => (await settingsOfTopic(admin, `${topicPrefix}t`)).own;
      try {
        await changeSettings(
          admin,
          `${topicPrefix}t`,
          { own: await settings(), all: new Map() },
          { 'segment.ms': '777' },
        );
        const before = await settings();
        expect(before.get('retention.ms')).toBe('2592000000');
        await opening({ topicPrefix, topics: ['t'], retention: { days: 0, keepWhole: [] } });
        expect(await settings()).toEqual(new Map([...before, ['retention.ms', '-1']]));
      } finally {
        await admin.disconnect();
      }
    });

    it('says which topics are gone, and goes on with those that are made again', async () => {
      const topicPrefix = prefixOf();
      const { lines, ...logger } = new Lines();
      const log = await opening({ topicPrefix, topics: ['t', 'u'], logger });
      const inbox = new Inbox();
      await log.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
      const followed = new Inbox();
      await log.follow({ topics: ['t'], onBatch: followed.take });
      await log.append([record('k', 'before')]);
      await Promise.all([inbox.holds(1), followed.holds(1)]);
      await log.check(['t', 'u']);

      const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [`${topicPrefix}t`] });
      await admin.disconnect();
      const told = `the brokers have no topic ${topicPrefix}t: docs/`;
      const gone = () =>
        log.check(['t', 'u']).then(
          () => false,
          ({ message }: Error) => message.startsWith(told),
        );
      while (!(await gone())) await pause(20);
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'error', text: expect.stringContaining(told) as string }),
      );
      await log.check(['u']);
      await expect(log.append([record('k', 'lost')])).rejects.toMatchObject({ code: 'log_unavailable' });

      await opening({ topicPrefix, topics: ['t'], partitions: 2 });
      await log.check(['t', 'u']);
      const values = Array.from({ length: 20 }, (_, i) => `after ${i}`);
      await log.append(values.map((value) => record(value, value)));
      expect(await log.partitions('t')).toBe(2);
      expect((await inbox.holds(21)).slice(1).sort()).toEqual(values.sort());
      expect((await followed.holds(21)).slice(1).sort()).toEqual(values.sort());
    }, 60_000);

    it('loses nothing when members come and go, and never takes a position back', async () => {
      const topicPrefix = prefixOf();
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

    it('keeps its partitions during a batch that takes longer than a session', async () => {
      // 6 s is the least that brokers take unless told otherwise.
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

    it('takes the place of a process that was killed without waiting for the end of its session', async () => {
      const topicPrefix = prefixOf();
      const one = await opening({ topicPrefix, topics: ['t'] });
      await one.append([record('k', 'left')]);
      // A member that takes what there is and shows no sign of life from then on; its session outlasts this test.
      const clientId = `tests-p-${'0'.repeat(8)}-g.t`;
      const session = { sessionTimeout: 300_000, rebalanceTimeout: 300_000 };
      const dead = new Kafka({ clientId, brokers: brokers.split(','), logLevel: logLevel.NOTHING });
      const consumer = dead.consumer({ groupId: `${topicPrefix}g.t`, ...session });
      await consumer.connect();
      await consumer.subscribe({ topic: `${topicPrefix}t`, fromBeginning: true });
      let end = () => {};
      const over = new Promise<void>((resolve) => (end = resolve));
      await new Promise<void>((taken) => consumer.run({ eachBatch: () => (taken(), over) }));
      try {
        const two = await opening({ topicPrefix, topics: ['t'], place: 'p', instance: `p-${'1'.repeat(8)}` });
        const inbox = new Inbox();
        await two.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
        await inbox.holds(1);
      } finally {
        end();
        await consumer.disconnect();
      }
    });

    it('lets another member join while a handler rejects all the time', async () => {
      const topicPrefix = prefixOf();
      const [one, two] = await Promise.all([1, 2].map(() => opening({ topicPrefix, topics: ['t'] })));
      await one!.append(Array.from({ length: 40 }, (_, i) => record(`k${i}`, String(i))));
      let tries = 0;
      const onBatch = () => ((tries += 1), Promise.reject(new Error('never')));
      await one!.subscribe({ group: 'g', topics: ['t'], onBatch });
      await until(() => tries > 0);
      const inbox = new Inbox();
      await two!.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
      await inbox.holds(1);
    });
  });
}
