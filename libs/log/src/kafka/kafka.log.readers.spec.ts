import { LogUnavailable } from '../log.port';
import { GroupMember } from './group.member';
import { KafkaLog } from './kafka.log';
import { TopicBook } from './topic.book';

jest.mock('./group.member');

describe('the members of a subscription', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are started all or not at all, and closed with the log, even if a topic can no longer be looked up', async () => {
    const topics = ['t', 'u'];
    jest.spyOn(TopicBook.prototype, 'make').mockResolvedValue(undefined);
    const of = jest.spyOn(TopicBook.prototype, 'of').mockRejectedValue(new LogUnavailable('gone'));
    // One successful look-up for each topic, and one more for the first.
    for (const name of [...topics, 't']) of.mockResolvedValueOnce({ name, partitions: 1, batchBytes: 1 });
    const retention = { days: 1, keepWhole: [] };
    const log = await KafkaLog.open({ brokers: ['127.0.0.1:1'], clientId: 'c', instance: 'i', retention });
    await log.subscribe({ group: 'g', topics, onBatch: () => Promise.resolve() }).catch(() => undefined);
    await log.close();
    const members = jest.mocked(GroupMember).mock.instances;
    expect(members.map(({ close }) => jest.mocked(close).mock.calls.length)).toEqual(members.map(() => 1));
    expect(members).toHaveLength(2);
  });
});
