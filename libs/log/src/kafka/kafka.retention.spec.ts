import { Kafka, logLevel } from 'kafkajs';
import { kafkaLogs, newTopicPrefix } from '../testing/brokers';
import { Inbox } from '../testing/inbox';
import { GrouplessFetch } from './groupless.fetch';

const brokers = process.env.KAFKA_BROKERS;

if (brokers === undefined) {
  it('left out: KAFKA_BROKERS is not set', () => expect(process.env.KAFKA_BROKERS).toBeUndefined());
} else {
  describe('records that retention removed from a topic on Kafka', () => {
    const { opening, closeAll } = kafkaLogs(brokers);
    afterEach(closeAll);

    const recordsOf = (values: string[]) => values.map((value) => ({ topic: 't', key: 'k', value, headers: {} }));

    /** A log whose topic was read up to position 2, and has kept only the records from position 4 on. */
    async function shortened() {
      const topicPrefix = newTopicPrefix();
      const log = await opening({ topicPrefix, topics: ['t'], partitions: 1 });
      await log.append(recordsOf(['0', '1']));
      const subscription = await log.subscribe({ group: 'g', topics: ['t'], onBatch: new Inbox().take });
      await subscription.caughtUp(20_000);
      await subscription.close();
      await log.append(recordsOf(['2', '3', '4', '5']));
      const admin = new Kafka({ brokers: brokers!.split(','), logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      const topic = `${topicPrefix}t`;
      // Without this, kafkajs does not know the leader.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '4' }] });
      await admin.disconnect();
      return log;
    }

    it('are skipped by a reader, which leaves no connection behind, and finds nothing past the end', async () => {
      const log = await shortened();
      const close = jest.spyOn(GrouplessFetch.prototype, 'close');
      const valuesFrom = async (from: number, limit: number) =>
        (await log.read('t', 0, from, limit)).map(({ value }) => value.toString());
      expect(await valuesFrom(0, 10)).toEqual(['4', '5']);
      expect(await valuesFrom(1, 1)).toEqual(['4']);
      expect(await valuesFrom(1_000, 10)).toEqual([]);
      expect(close).toHaveBeenCalledTimes(3);
      close.mockRestore();
    });

    it('are no lag of a group that had not read them, which goes on with what is left', async () => {
      const log = await shortened();
      expect(await log.positions('g', ['t'])).toEqual([{ topic: 't', partition: 0, committed: 4, end: 6, lag: 2 }]);
      const inbox = new Inbox();
      const subscription = await log.subscribe({ group: 'g', topics: ['t'], onBatch: inbox.take });
      expect(await subscription.caughtUp(20_000)).toBe(true);
      expect(inbox.values).toEqual(['4', '5']);
    });
  });
}
