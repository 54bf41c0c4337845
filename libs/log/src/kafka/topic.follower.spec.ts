import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import type { OnBatch } from '../log.members';
import { Inbox, until } from '../testing/inbox';
import { Lines } from '../testing/outcome.app';
import type { KafkaClients } from './kafka.client';
import { Progress } from './progress';
import { TopicFollower } from './topic.follower';

const fault = (type: string) => Object.assign(new Error(type), { type });

/** Brokers with one topic: the first kept position and the records of each partition; an undefined value ends a transaction. */
class Brokers {
  partitions: { low: number; values: (string | undefined)[] }[] = [];
  /** The errors with which the next fetches fail. */
  faults: Error[] = [];
  left = 0;
  asked: string[] = [];

  readonly cluster = () => {
    const broker = {
      fetch: async ({ topics }: { topics: { partitions: { partition: number; fetchOffset: string }[] }[] }) => {
        await new Promise(setImmediate);
        const wanted = topics[0]!.partitions.map(({ partition, fetchOffset }) => ({
          partition,
          from: Number(fetchOffset),
        }));
        this.asked.push(wanted.map(({ partition, from }) => `${partition}@${from}`).join(' '));
        const broken = this.faults.shift();
        if (broken) throw broken;
        const there = wanted.filter(({ partition }) => partition in this.partitions);
        const strange = there.find(({ partition, from }) => from < this.low(partition) || from > this.end(partition));
        if (strange) throw Object.assign(fault('OFFSET_OUT_OF_RANGE'), { partition: strange.partition });
        return { responses: [{ topicName: 'p-t', partitions: there.map((one) => this.messages(one)) }] };
      },
    };
    const ids = () => this.partitions.map((_partition, partitionId) => ({ partitionId }));
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(void (this.left += 1)),
      addTargetTopic: () => Promise.resolve(),
      refreshMetadataIfNecessary: () => Promise.resolve(),
      findTopicPartitionMetadata: ids,
      // As in kafkajs: a partition that does not exist has no leader.
      findLeaderForPartitions: (_topic: string, partitions: number[]) => {
        const known = partitions.filter((partition) => partition in this.partitions);
        return known.length > 0 ? { 1: known } : {};
      },
      findBroker: () => Promise.resolve(broker),
      fetchTopicsOffset: () => {
        const partitions = this.partitions.map(({ low }, partition) => ({ partition, offset: String(low) }));
        return Promise.resolve([{ topic: 'p-t', partitions }]);
      },
    } as unknown as InnerCluster;
  };

  private low(partition: number): number {
    return this.partitions[partition]!.low;
  }

  private end(partition: number): number {
    return this.low(partition) + this.partitions[partition]!.values.length;
  }

  private messages({ partition, from }: { partition: number; from: number }) {
    const all = this.partitions[partition]!.values.map((value, at) => {
      return {
        key: null,
        value: Buffer.from(value ?? ''),
        isControlRecord: value === undefined,
        offset: String(this.low(partition) + at),
        timestamp: '0',
        headers: {},
      };
    });
    return { partition, messages: all.slice(from - this.low(partition)) };
  }
}

interface Following {
  maxRecords?: number;
  onBatch?: OnBatch;
}

describe('a follower', () => {
  let follower: TopicFollower | undefined;
  afterEach(() => follower?.close());

  const following = (brokers: Brokers, { maxRecords = 9, onBatch }: Following = {}) => {
    const inbox = new Inbox();
    const progress = new Progress();
    const lines = new Lines();
    follower = new TopicFollower({
      clients: { cluster: brokers.cluster } as unknown as KafkaClients,
      topic: 't',
      name: 'p-t',
      group: undefined,
      lines,
      onBatch: onBatch ?? inbox.take,
      progress,
      limits: { maxRecords, maxBytes: 99 },
      partitionBytes: 9,
    });
    return { inbox, progress, lines };
  };

  it('goes on where it was after a fault, over new connections, and reads new partitions', async () => {
    const brokers = new Brokers();
    brokers.partitions = [{ low: 5, values: ['a', 'b'] }];
    const { inbox, progress, lines } = following(brokers);
    await inbox.waitFor(2);
    brokers.faults = [fault('NOT_LEADER_FOR_PARTITION')];
    await until(() => lines.lines.length === 1);
    brokers.partitions = [
      { low: 5, values: ['a', 'b', 'c'] },
      { low: 0, values: ['d'] },
    ];
    expect(await inbox.waitFor(4)).toEqual(['a', 'b', 'c', 'd']);
    await until(() => progress.of(1) === 1);
    expect([progress.of(0), brokers.left]).toEqual([8, 1]);
    expect(lines.lines[0]).toMatchObject({ fields: { topic: 't', code: 'NOT_LEADER_FOR_PARTITION' } });
  });

  it('goes on with the first kept record when retention removed what it had yet to read', async () => {
    const brokers = new Brokers();
    brokers.partitions = [{ low: 0, values: ['a'] }];
    const { inbox, progress } = following(brokers);
    await inbox.waitFor(1);
    brokers.partitions = [{ low: 7, values: ['b'] }];
    expect(await inbox.waitFor(2)).toEqual(['a', 'b']);
    await until(() => progress.of(0) === 8);
  });

  it('begins again in all partitions when one ends before its position: the topic may be a new one', async () => {
    const brokers = new Brokers();
    brokers.partitions = [
      { low: 0, values: ['a', 'b'] },
      { low: 0, values: ['c'] },
    ];
    const { inbox, progress } = following(brokers);
    await inbox.waitFor(3);
    await until(() => progress.of(0) === 2 && progress.of(1) === 1);
    brokers.partitions = [
      { low: 0, values: ['d'] },
      { low: 0, values: ['e', 'f'] },
    ];
    expect((await inbox.waitFor(6)).slice(3)).toEqual(['d', 'e', 'f']);
    await until(() => progress.of(0) === 1 && progress.of(1) === 2);
  });

  it('begins again when the topic was gone for a while', async () => {
    const brokers = new Brokers();
    brokers.partitions = [{ low: 0, values: ['a'] }];
    const { inbox } = following(brokers);
    await inbox.waitFor(1);
    brokers.faults = [fault('UNKNOWN_TOPIC_OR_PARTITION')];
    brokers.partitions = [{ low: 0, values: ['b', 'c'] }];
    expect(await inbox.waitFor(3)).toEqual(['a', 'b', 'c']);
  });

  it('reads new partitions without any fault', async () => {
    const brokers = new Brokers();
    brokers.partitions = [{ low: 5, values: ['a'] }];
    const { inbox, lines } = following(brokers);
    await inbox.waitFor(1);
    brokers.partitions = [...brokers.partitions, { low: 0, values: ['b'] }];
    expect(await inbox.waitFor(2)).toEqual(['a', 'b']);
    expect(lines.lines).toEqual([]);
  });

  it('asks for nothing more while a batch is in the handler', async () => {
    const brokers = new Brokers();
    brokers.partitions = [{ low: 0, values: ['a'] }];
    let accept = () => {};
    const onBatch = jest.fn(() => new Promise<void>((resolve) => (accept = resolve)));
    following(brokers, { onBatch });
    for (const [batches, value] of ['b', 'c'].entries()) {
      await until(() => onBatch.mock.calls.length === batches + 1);
      const asked = brokers.asked.length;
      for (let turns = 0; turns < 9; turns += 1) await new Promise(setImmediate);
      expect([onBatch.mock.calls.length, brokers.asked.length]).toEqual([batches + 1, asked]);
      brokers.partitions[0]!.values.push(value);
      accept();
    }
    await until(() => onBatch.mock.calls.length === 3);
    accept();
  });

  it('moves past transaction markers', async () => {
    const brokers = new Brokers();
    brokers.partitions = [{ low: 0, values: ['a', undefined] }];
    const { inbox, progress } = following(brokers);
    await until(() => progress.of(0) === 2);
    expect(inbox.values).toEqual(['a']);
  });

  it('repeats nothing after a fault, even one of the first fetch over new connections', async () => {
    const brokers = new Brokers();
    brokers.partitions = [
      { low: 0, values: ['a'] },
      { low: 0, values: ['b'] },
    ];
    const { inbox, lines } = following(brokers);
    await inbox.waitFor(2);
    brokers.faults = [fault('NOT_LEADER_FOR_PARTITION'), fault('NOT_LEADER_FOR_PARTITION')];
    await until(() => lines.lines.length === 2);
    // Retention has meanwhile removed records of one partition.
    brokers.partitions = [
      { low: 4, values: ['c'] },
      { low: 0, values: ['b', 'd'] },
    ];
    await until(() => inbox.values.includes('d'));
    expect(inbox.values).toEqual(['a', 'b', 'c', 'd']);
  });

  it('waits for a topic that the brokers do not know', async () => {
    const brokers = new Brokers();
    const { inbox, lines } = following(brokers);
    await until(() => lines.lines.length === 1);
    brokers.partitions = [{ low: 0, values: ['a'] }];
    await inbox.waitFor(1);
    brokers.partitions = [];
    await until(() => lines.lines.length === 2);
    expect(lines.lines).toMatchObject(Array(2).fill({ fields: { code: 'UNKNOWN_TOPIC_OR_PARTITION' } }));
    brokers.partitions = [{ low: 0, values: ['b'] }];
    expect(await inbox.waitFor(2)).toEqual(['a', 'b']);
  });

  describe('that is closed', () => {
    it('waits for the batch in progress, and hands out nothing more', async () => {
      const brokers = new Brokers();
      brokers.partitions = [{ low: 0, values: ['a', 'b'] }];
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      let given = 0;
      const { progress } = following(brokers, { maxRecords: 1, onBatch: () => ((given += 1), held) });
      await until(() => given === 1);
      let closed = false;
      const closing = follower!.close().then(() => (closed = true));
      await new Promise(setImmediate);
      expect([closed, progress.ended]).toEqual([false, false]);
      release();
      await closing;
      expect([given, progress.ended]).toEqual([1, true]);
    });

    it('ends at once while it waits to hand over records again', async () => {
      const brokers = new Brokers();
      brokers.partitions = [{ low: 0, values: ['a'] }];
      // The pause before another try would never end.
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      const { lines } = following(brokers, { onBatch: () => Promise.reject(new Error('not now')) });
      while (lines.lines.length === 0) await new Promise(setImmediate);
      await follower!.close();
      jest.useRealTimers();
    });

    it('does not count a batch as handled that was not accepted', async () => {
      const brokers = new Brokers();
      brokers.partitions = [{ low: 0, values: ['a'] }];
      const { lines, progress } = following(brokers, { onBatch: () => Promise.reject(new Error('not now')) });
      await until(() => lines.lines.length === 1);
      await follower!.close();
      expect([progress.of(0), progress.ended]).toEqual([0, true]);
    });
  });
});
