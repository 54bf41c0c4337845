import { pause } from '@lettermill/concurrency';
import { Kafka, logLevel } from 'kafkajs';
import { SILENT_LOGGER } from '../log.lines';
import type { NewRecord, RecordBatch } from '../log.port';
import { kafkaLogs, newTopicPrefix } from '../testing/brokers';
import { Inbox, until } from '../testing/inbox';
import { Lines } from '../testing/outcome.app';
import { KafkaClients } from './kafka.client';
import { settingsOf } from './kafka.options';
import { changeSettings, settingsOfTopic } from './topic.settings';

const brokers = process.env.KAFKA_BROKERS;

if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  describe('the topics of the log on Kafka', () => {
    const { open, opening, closeAll } = kafkaLogs(brokers);
    const record = (key: string, value: string): NewRecord => ({ topic: 't', key, value, headers: {} });
    const deleteTopic = async (name: string) => {
      const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      await admin.deleteTopics({ topics: [name] });
      await admin.disconnect();
    };
    afterEach(closeAll);

    it('can be created by several processes at once; settings that differ from the configuration are logged', async () => {
      const topicPrefix = newTopicPrefix();
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

    it('cause no log line when several processes create them at once', async () => {
      const topics = ['t', 'u', 'v', 'w', 'x', 'y'];
      for (let round = 0; round < 3; round += 1) {
        const topicPrefix = newTopicPrefix();
        const { lines, ...logger } = new Lines();
        await Promise.all([1, 2, 3, 4, 5].map(() => opening({ topicPrefix, topics, logger })));
        expect(lines).toEqual([]);
      }
    });

    it('are reported with the reason when they cannot be created', async () => {
      const { lines, ...logger } = new Lines();
      const refused = open({ topics: ['t'], replication: 99, openTimeoutMs: 1, logger });
      await expect(refused).rejects.toThrow('INVALID_REPLICATION_FACTOR');
      const patient = open({ topics: ['t'], replication: 99, openTimeoutMs: 3_500, logger });
      await expect(patient).rejects.toMatchObject({ code: 'log_unavailable' });
      const fields = { code: 'INVALID_REPLICATION_FACTOR', detail: expect.stringMatching(/replication/i) };
      // Once, however often it was tried.
      expect(lines).toEqual([expect.objectContaining({ fields })]);
    });

    it('are asked for by name, as a topic of somebody else may have no leader', async () => {
      const retention = { days: 1, keepWhole: [] };
      const settings = settingsOf({ brokers: brokers.split(','), clientId: 'tests', instance: 'one', retention });
      await opening({ topics: ['t'] });
      const admin = (await KafkaClients.load(settings)).admin();
      await admin.connect();
      try {
        // The driver means all topics, of whoever they are.
        expect(await admin.listTopics()).toEqual([]);
        expect((await admin.describeCluster()).brokers).not.toEqual([]);
      } finally {
        await admin.disconnect();
      }
    });

    it('get a new retention, while other settings are kept', async () => {
      const topicPrefix = newTopicPrefix();
      await opening({ topicPrefix, topics: ['t'] });
      const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      const settings = async () => (await settingsOfTopic(admin, `${topicPrefix}t`, SILENT_LOGGER)).own;
      // A broker may report a change only a moment after it accepted it.
      const settingsWith = async (name: string, value: string) => {
        for (;;) {
          const own = await settings();
          if (own.get(name) === value) return own;
          await pause(20);
        }
      };
      try {
        await changeSettings(
          admin,
          `${topicPrefix}t`,
          { own: await settings(), all: new Map() },
          { 'segment.ms': '777' },
        );
        const before = await settingsWith('segment.ms', '777');
        expect(before.get('retention.ms')).toBe('2592000000');
        await opening({ topicPrefix, topics: ['t'], retention: { days: 0, keepWhole: [] } });
        const after = await settingsWith('retention.ms', '-1');
        expect(after).toEqual(new Map([...before, ['retention.ms', '-1']]));
      } finally {
        await admin.disconnect();
      }
    });

    it('are reported when they are gone, and read again once they are recreated', async () => {
      const topicPrefix = newTopicPrefix();
      const { lines, ...logger } = new Lines();
      const log = await opening({ topicPrefix, topics: ['t', 'u'], logger });
      const inbox = new Inbox();
      let held = Promise.resolve();
      const onBatch = (batch: RecordBatch) => held.then(() => inbox.take(batch));
      const subscription = await log.subscribe({ group: 'g', topics: ['t'], onBatch });
      const followed = new Inbox();
      await log.follow({ topics: ['t'], onBatch: followed.take });
      await log.append(['a', 'b', 'c'].map((value) => record('k', value)));
      await Promise.all([subscription.caughtUp(10_000), followed.waitFor(3)]);
      await log.check(['t', 'u']);

      await deleteTopic(`${topicPrefix}t`);
      const told = `the brokers have no topic ${topicPrefix}t: docs/`;
      const isReportedGone = () =>
        log.check(['t', 'u']).then(
          () => false,
          ({ message }: Error) => message.startsWith(told),
        );
      while (!(await isReportedGone())) await pause(20);
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'error', text: expect.stringContaining(told) as string }),
      );
      await log.check(['u']);
      await expect(log.append([record('k', 'lost')])).rejects.toMatchObject({ code: 'log_unavailable' });

      await opening({ topicPrefix, topics: ['t'], partitions: 2 });
      await log.check(['t', 'u']);
      const values = Array.from({ length: 20 }, (_, i) => `after ${i}`);
      let release = () => {};
      held = new Promise((resolve) => (release = resolve));
      await log.append([record('k', values[0]!)]);
      expect(await subscription.caughtUp(200)).toBe(false);
      release();
      expect(await subscription.caughtUp(10_000)).toBe(true);
      await log.append(values.slice(1).map((value) => record(value, value)));
      expect(await log.partitions('t')).toBe(2);
      expect((await inbox.waitFor(23)).slice(3).sort()).toEqual(values.sort());
      expect((await followed.waitFor(23)).slice(3).sort()).toEqual(values.sort());
    });

    it('are read from their first record on once they are recreated, even if they hold more by then than was read before', async () => {
      const topicPrefix = newTopicPrefix();
      const { lines, ...logger } = new Lines();
      const log = await opening({ topicPrefix, topics: ['t'], logger, stuckAfterMs: 3_600_000 });
      const inbox = new Inbox();
      await log.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
      await log.append([record('k', 'a'), record('k', 'b')]);
      await inbox.waitFor(2);
      await deleteTopic(`${topicPrefix}t`);
      await until(() => lines.some(({ fields }) => 'why' in fields && fields.why === 'UNKNOWN_TOPIC_OR_PARTITION'));
      const other = await opening({ topicPrefix, topics: ['t'] });
      const values = ['c', 'd', 'e', 'f'];
      await other.append(values.map((value) => record('k', value)));
      expect((await inbox.waitFor(6)).slice(2)).toEqual(values);
    });
  });
}
