import { LogUnavailable } from '../log.port';
import { GroupMember } from './group.member';
import { GrouplessFetch } from './groupless.fetch';
import { KafkaLog } from './kafka.log';
import { TopicBook } from './topic.book';

jest.mock('./group.member');

const facts = (name: string) => ({ name, partitions: 1, batchBytes: 1 });
const onBatch = () => Promise.resolve();
const opened = () => {
  const retention = { days: 1, keepWhole: [] };
  return KafkaLog.open({ brokers: ['127.0.0.1:1'], clientId: 'c', instance: 'i', retention });
};

describe('the members of a subscription', () => {
  let of: jest.SpyInstance;
  let log: KafkaLog;
  const members = () => jest.mocked(GroupMember).mock.instances;

  beforeEach(async () => {
    jest.spyOn(TopicBook.prototype, 'make').mockResolvedValue(undefined);
    of = jest.spyOn(TopicBook.prototype, 'of').mockRejectedValue(new LogUnavailable('gone'));
    log = await opened();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.mocked(GroupMember).mockClear();
  });

  it('are started all or not at all, and closed with the log, even if a topic can no longer be looked up', async () => {
    const topics = ['t', 'u'];
    // One successful look-up for each topic, and one more for the first.
    for (const name of [...topics, 't']) of.mockResolvedValueOnce(facts(name));
    await log.subscribe({ group: 'g', topics, onBatch }).catch(() => undefined);
    await log.close();
    expect(members().map(({ close }) => jest.mocked(close).mock.calls.length)).toEqual(members().map(() => 1));
    expect(members()).toHaveLength(2);
  });

  it('are not started once the log is being closed: nobody would end them', async () => {
    let answer = (_facts: object) => {};
    of.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const subscribing = log.subscribe({ group: 'g', topics: ['t'], onBatch });
    await new Promise(setImmediate);
    const closing = log.close();
    answer(facts('t'));
    await expect(subscribing).rejects.toMatchObject({ code: 'log_unavailable' });
    await closing;
    expect(members()).toEqual([]);
  });

  it('can be started again after a topic could not be looked up', async () => {
    await expect(log.subscribe({ group: 'g', topics: ['t'], onBatch })).rejects.toThrow('gone');
    of.mockResolvedValueOnce(facts('t'));
    await log.subscribe({ group: 'g', topics: ['t'], onBatch });
    expect(members()).toHaveLength(1);
    await log.close();
  });
});

describe('reading a partition', () => {
  afterEach(() => jest.restoreAllMocks());

  it('goes on behind positions that hold no record, as the end of a transaction does', async () => {
    jest.spyOn(TopicBook.prototype, 'make').mockResolvedValue(undefined);
    jest.spyOn(TopicBook.prototype, 'of').mockResolvedValue(facts('t'));
    jest.spyOn(GrouplessFetch.prototype, 'open').mockResolvedValue(new Map([[0, 0]]));
    const record = {
      topic: 't',
      key: '',
      value: Buffer.from('a'),
      headers: {},
      partition: 0,
      position: 3,
      appendedAt: 0,
    };
    jest
      .spyOn(GrouplessFetch.prototype, 'fetch')
      .mockResolvedValueOnce([{ partition: 0, records: [], next: 3 }])
      .mockResolvedValueOnce([{ partition: 0, records: [record], next: 4 }])
      .mockResolvedValue([{ partition: 0, records: [], next: 4 }]);
    const log = await opened();
    expect(await log.read('t', 0, 0, 10)).toEqual([record]);
    await log.close();
  });
});
