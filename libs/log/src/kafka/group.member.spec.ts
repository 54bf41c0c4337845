import type { LogRecord, RecordBatch } from '../log.port';
import { until } from '../testing/inbox';
import { Consumer } from '../testing/kafkajs.consumer';
import { Lines } from '../testing/outcome.app';
import type { Commit } from './commit.note';
import { GroupMember } from './group.member';
import type { KafkaClients } from './kafka.client';
import { Progress } from './progress';

describe('a member of a consumer group', () => {
  let member: GroupMember | undefined;
  let lines: Lines;
  beforeEach(() => (lines = new Lines()));
  afterEach(async () => {
    await member?.close();
    member = undefined;
    jest.useRealTimers();
  });

  let rebalancing = false;
  let commits: () => Promise<Map<number, Commit>>;
  beforeEach(() => {
    rebalancing = false;
    commits = () => Promise.resolve(new Map());
  });
  const lying = { position: 6, headers: { ce_id: 'new' } } as unknown as LogRecord;
  const recordsAt = () => Promise.resolve(new Map([[0, lying]]));
  const accepts = () => Promise.resolve();
  const memberOf = (
    consumers: Consumer[],
    onBatch: (batch: RecordBatch) => Promise<void> = accepts,
    check: () => Promise<void> = accepts,
  ) => {
    const left = [...consumers];
    const consumer = (...asked: unknown[]) => (left[0]!.asked.push(...asked), left.shift()!);
    const clients = { consumer, coordinatorGone: () => new Error('gone') };
    const leaveBehind = jest.fn(() => Promise.resolve());
    const progress = new Progress();
    member = new GroupMember({
      clients: clients as unknown as KafkaClients,
      topic: 't',
      name: 'p-t',
      group: 'g',
      groupId: 'g.t',
      lines,
      onBatch,
      progress,
      limits: { maxRecords: 9, maxBytes: 99 },
      partitions: 2,
      partitionBytes: 9,
      check,
      isRebalancing: () => Promise.resolve(rebalancing),
      tailSource: { commits, recordsAt, positionsAt: () => Promise.resolve(new Map([[0, 2]])) },
      leaveBehind,
      stuckAfterMs: 60_000,
      sessionTimeoutMs: 9,
    });
    return { leaveBehind, progress };
  };

  it('does not commit partitions reassigned during a batch: their new member may be further', async () => {
    const consumer = new Consumer();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let given = 0;
    const { progress } = memberOf([consumer], () => ((given += 1), held));
    await until(() => consumer.eachBatch !== undefined);
    consumer.emit('join', { memberAssignment: { 'p-t': [0, 1] } });
    const taken = consumer.hand(0, 1);
    await until(() => given === 1);
    // kafkajs joins again during a batch when a partition gets another leader.
    consumer.emit('join', { memberAssignment: { 'p-t': [1] } });
    release();
    await Promise.all(taken);
    expect([consumer.committed, consumer.resolved]).toEqual([['1@8'], ['1@7']]);
    expect([progress.of(0), progress.of(1)]).toEqual([0, 8]);
    consumer.emit('join', { memberAssignment: { 'p-t': [0] } });
    await Promise.all(consumer.hand(0));
    expect(consumer.committed).toEqual(['1@8', '0@8']);
  });

  it('neither joins nor removes former members for a consumer that was already replaced', async () => {
    const [first, second, third] = [new Consumer(), new Consumer(), new Consumer()];
    let connected = () => {};
    second.connecting = new Promise((resolve) => (connected = resolve));
    const { leaveBehind } = memberOf([first, second, third], () => Promise.resolve());
    await until(() => first.calls.includes('run'));
    first.emit('crash', { error: new Error('broken') });
    await until(() => second.calls.includes('connect'));
    expect(leaveBehind).not.toHaveBeenCalled();
    second.emit('crash', { error: new Error('broken') });
    await until(() => third.calls.includes('run'));
    expect(leaveBehind).toHaveBeenCalledTimes(1);
    connected();
    await until(() => second.calls.filter((call) => call === 'disconnect').length === 2);
    expect(second.calls).toEqual(['connect', 'disconnect', 'disconnect']);
    expect(leaveBehind).toHaveBeenCalledTimes(1);
  }, 20_000);

  it('reads again from some minutes before the last record that it committed, if another one lies there', async () => {
    const consumer = new Consumer();
    const metadata = JSON.stringify({ next: 7, position: 6, id: 'lost', at: 1_000_000, epoch: 1 });
    commits = () => Promise.resolve(new Map([[0, { offset: 7, metadata }]]));
    const taken = jest.fn(accepts);
    const { progress } = memberOf([consumer], taken);
    await until(() => consumer.eachBatch !== undefined);
    consumer.emit('join', { memberAssignment: { 'p-t': [0] } });
    await Promise.all(consumer.hand(0));
    expect([consumer.sought, taken.mock.calls.length, consumer.resolved]).toEqual([['p-t/0@2'], 0, []]);
    expect(progress.of(0)).toBe(2);
    expect(lines.lines).toMatchObject([{ level: 'error', fields: { partition: 0, was: 'lost', is: 'new', from: 2 } }]);
  });

  it('reads from the first record on, creates no topics, and disables the commits of kafkajs', async () => {
    const consumer = new Consumer();
    memberOf([consumer]);
    await until(() => consumer.eachBatch !== undefined);
    expect(consumer.asked).toMatchObject([
      'g.t',
      { groupId: 'g.t', allowAutoTopicCreation: false, sessionTimeout: 9, maxBytesPerPartition: 9, maxBytes: 8388608 },
      { topic: 'p-t', fromBeginning: true },
      { autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: 2 },
    ]);
  });

  it('is recreated after ever longer pauses until it has read: a member that joined may lack the right to read', async () => {
    const consumers = Array.from({ length: 5 }, () => new Consumer());
    const lost = new Error('no broker');
    consumers[0]!.connecting = Promise.reject(lost);
    memberOf(consumers);
    await until(() => consumers[1]!.eachBatch !== undefined);
    consumers[1]!.emit('crash', { error: Object.assign(new Error('refused'), { type: 'FENCED_INSTANCE_ID' }) });
    await until(() => consumers[2]!.eachBatch !== undefined);
    consumers[2]!.emit('join', { memberAssignment: {} });
    consumers[2]!.emit('crash', { error: Object.assign(new Error('refused'), { type: 'TOPIC_AUTHORIZATION_FAILED' }) });
    await until(() => consumers[3]!.eachBatch !== undefined);
    consumers[3]!.emit('fetch');
    consumers[3]!.emit('crash', { error: lost });
    await until(() => consumers[4]!.eachBatch !== undefined);
    expect(lines.lines.map(({ fields }) => fields)).toMatchObject([
      { why: 'Error', pause: 200 },
      { why: 'FENCED_INSTANCE_ID', pause: 400 },
      { why: 'TOPIC_AUTHORIZATION_FAILED', pause: 800 },
      { why: 'Error', pause: 200 },
    ]);
  });

  it('is replaced even if its consumer cannot be disconnected, which is ended should it hand over more', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const [first, second] = [new Consumer(), new Consumer()];
    first.disconnect = () => new Promise(() => {});
    const taken = jest.fn(accepts);
    memberOf([first, second], taken);
    await jest.advanceTimersByTimeAsync(0);
    first.emit('crash', { error: new Error('broken') });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(second.calls).toEqual(['connect', 'subscribe', 'run']);
    // An error that kafkajs does not retry.
    await expect(first.hand(0)[0]).rejects.toMatchObject({ retriable: false });
    expect(taken).not.toHaveBeenCalled();
  });

  it('leaves the group when the batch in progress is done, and hands out nothing more', async () => {
    const consumer = new Consumer();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const batches: RecordBatch[] = [];
    const { progress } = memberOf([consumer], (batch) => (batches.push(batch), held));
    await until(() => consumer.eachBatch !== undefined);
    consumer.emit('join', { memberAssignment: { 'p-t': [0] } });
    const taken = consumer.hand(0);
    await until(() => batches.length === 1);
    const closing = member!.close();
    await until(() => batches[0]!.stopping);
    for (let turns = 0; turns < 9; turns += 1) await new Promise(setImmediate);
    expect([consumer.calls.includes('disconnect'), progress.ended]).toEqual([false, false]);
    release();
    await Promise.all([...taken, closing]);
    expect([consumer.committed, consumer.calls.at(-1), progress.ended]).toEqual([['0@8'], 'disconnect', true]);
    expect(lines.lines).toEqual([]);
  });

  it('leaves without another try of a batch that the handler refuses', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const consumer = new Consumer();
    const refuse = jest.fn(() => Promise.reject(new Error('not now')));
    const { progress } = memberOf([consumer], refuse);
    await jest.advanceTimersByTimeAsync(0);
    const taken = consumer.hand(0);
    while (lines.lines.length === 0) await new Promise(setImmediate);
    const closing = member!.close();
    // Shorter than the pause before the next try.
    await jest.advanceTimersByTimeAsync(50);
    expect([progress.ended, refuse.mock.calls.length]).toEqual([true, 1]);
    await Promise.all([...taken, closing]);
    expect([consumer.committed, consumer.resolved]).toEqual([[], []]);
  });

  describe('that may be stuck', () => {
    const STUCK_S = 62;
    /** Lets the seconds pass; in each, the consumer emits the events. */
    const pass = async (seconds: number, consumer: Consumer, ...events: string[]) => {
      for (let second = 0; second < seconds; second += 1) {
        for (const event of events) consumer.emit(event);
        await jest.advanceTimersByTimeAsync(1_000);
      }
    };
    const begun = async (check?: () => Promise<void>, onBatch?: () => Promise<void>) => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      const [first, second] = [new Consumer(), new Consumer()];
      memberOf([first, second], onBatch, check);
      await jest.advanceTimersByTimeAsync(0);
      return { first, second };
    };

    it.each([[[]], [['fetch']], [['heartbeat']]])('is replaced, even if it emits %j', async (events) => {
      const { first, second } = await begun();
      await pass(STUCK_S, first, ...events);
      expect(lines.lines.map(({ fields }) => fields)).toMatchObject([{ why: 'stuck' }]);
      expect([first.calls.at(-1), second.calls[0]]).toEqual(['disconnect', 'connect']);
    });

    it('is kept while it both fetches and sends heartbeats, and right after it joined', async () => {
      const { first } = await begun();
      await pass(STUCK_S, first, 'fetch', 'heartbeat');
      await pass(STUCK_S - 10, first);
      first.emit('join', { memberAssignment: {} });
      await pass(STUCK_S - 10, first);
      expect(lines.lines).toEqual([]);
    });

    it('is kept while it handles records, when it does not fetch', async () => {
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const { first } = await begun(undefined, () => held);
      first.emit('join', { memberAssignment: { 'p-t': [0] } });
      const taken = first.hand(0);
      await pass(2 * STUCK_S, first, 'heartbeat');
      expect(lines.lines).toEqual([]);
      release();
      await Promise.all(taken);
    });

    it('is kept while its group waits for a slow member, but not for ever', async () => {
      const { first, second } = await begun();
      rebalancing = true;
      await pass(5 * 60, first);
      expect(lines.lines).toEqual([]);
      await pass(60, first);
      expect(lines.lines.map(({ fields }) => fields)).toMatchObject([{ why: 'stuck' }]);
      expect(second.calls[0]).toBe('connect');
    });

    it('is kept while the brokers do not answer', async () => {
      const { first } = await begun(() => Promise.reject(new Error('away')));
      await pass(2 * STUCK_S, first);
      expect(lines.lines).toEqual([]);
    });
  });
});
