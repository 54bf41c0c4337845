import type { EachBatchPayload } from 'kafkajs';
import { SILENT } from '../log.lines';
import type { RecordBatch } from '../log.port';
import { until } from '../testing/inbox';
import { GroupMember } from './group.member';
import type { KafkaClients } from './kafka.client';
import { Progress } from './progress';

type Listener = (event: { payload: unknown }) => void;

/** A consumer of kafkajs that does what the test says. */
class Consumer {
  readonly events = { FETCH: 'fetch', HEARTBEAT: 'heartbeat', GROUP_JOIN: 'join', CRASH: 'crash' };
  readonly committed: string[] = [];
  readonly resolved: string[] = [];
  calls: string[] = [];
  eachBatch: ((payload: EachBatchPayload) => Promise<void>) | undefined;
  connecting: Promise<void> = Promise.resolve();
  private readonly listeners = new Map<string, Listener[]>();

  on = (event: string, listener: Listener) =>
    void this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  emit = (event: string, payload: unknown = {}) =>
    this.listeners.get(event)?.forEach((listener) => listener({ payload }));
  connect = () => (this.calls.push('connect'), this.connecting);
  subscribe = () => Promise.resolve(void this.calls.push('subscribe'));
  disconnect = () => Promise.resolve(void this.calls.push('disconnect'));
  run = ({ eachBatch }: { eachBatch: (payload: EachBatchPayload) => Promise<void> }) => {
    this.calls.push('run');
    this.eachBatch = eachBatch;
    return Promise.resolve();
  };

  /** Hands over one record of each of the partitions. */
  hand(...partitions: number[]): Promise<void>[] {
    return partitions.map((partition) => {
      const messages = [{ key: null, value: Buffer.from('v'), offset: '7', timestamp: '0', headers: {} }];
      const payload = {
        batch: { topic: 'p-t', partition, messages },
        resolveOffset: (offset: string) => void this.resolved.push(`${partition}@${offset}`),
        heartbeat: () => Promise.resolve(),
        commitOffsetsIfNecessary: (asked: { topics: { partitions: { partition: number; offset: string }[] }[] }) => {
          for (const one of asked.topics[0]!.partitions) this.committed.push(`${one.partition}@${one.offset}`);
          return Promise.resolve();
        },
      };
      return this.eachBatch!(payload as unknown as EachBatchPayload);
    });
  }
}

describe('a member of a consumer group', () => {
  let member: GroupMember | undefined;
  afterEach(async () => {
    await member?.close();
    member = undefined;
  });

  const memberOf = (consumers: Consumer[], onBatch: (batch: RecordBatch) => Promise<void>) => {
    const left = [...consumers];
    const clients = { consumer: () => left.shift()!, coordinatorGone: () => new Error('gone') };
    const leaveBehind = jest.fn(() => Promise.resolve());
    const progress = new Progress();
    member = new GroupMember({
      ...{ clients: clients as unknown as KafkaClients, topic: 't', name: 'p-t', group: 'g', groupId: 'g.t' },
      ...{ lines: SILENT, onBatch, progress, limits: { maxRecords: 9, maxBytes: 99 }, partitions: 2 },
      ...{ partitionBytes: 9, check: () => Promise.resolve(), leaveBehind, stuckAfterMs: 60_000, sessionTimeoutMs: 9 },
    });
    return { leaveBehind, progress };
  };

  it('does not commit what the group gave to another while it was in hand: that one may have come further', async () => {
    const consumer = new Consumer();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let given = 0;
    const { progress } = memberOf([consumer], () => ((given += 1), held));
    await until(() => consumer.eachBatch !== undefined);
    consumer.emit('join', { memberAssignment: { 'p-t': [0, 1] } });
    const taken = consumer.hand(0, 1);
    await until(() => given === 1);
    // kafkajs joins anew under way where a partition has another leader.
    consumer.emit('join', { memberAssignment: { 'p-t': [1] } });
    release();
    await Promise.all(taken);
    expect([consumer.committed, consumer.resolved]).toEqual([['1@8'], ['1@7']]);
    expect([progress.of(0), progress.of(1)]).toEqual([0, 8]);
    consumer.emit('join', { memberAssignment: { 'p-t': [0] } });
    await Promise.all(consumer.hand(0));
    expect(consumer.committed).toEqual(['1@8', '0@8']);
  });

  it('neither joins nor takes others out of the group once another life was begun', async () => {
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
});
