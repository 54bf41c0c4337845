import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import { GrouplessFetch } from './groupless.fetch';

const MIB = 1024 * 1024;

/** Two brokers: the first leads partitions 0 and 2, the second leads 1. Requests are recorded in `calls`. */
function brokers(partitions = [0, 1, 2]) {
  const calls: [what: string, asked?: unknown][] = [];
  const note =
    <T>(what: string, answer?: T) =>
    (asked?: unknown) =>
      Promise.resolve((calls.push([what, asked]), answer as T));
  const brokerOf = (nodeId: string, led: number[]) => ({
    fetch: (asked: unknown) => {
      calls.push([`fetch ${nodeId}`, asked]);
      const message = { key: null, value: Buffer.from(nodeId), offset: '7', timestamp: '0', headers: {} };
      return Promise.resolve({
        responses: [{ partitions: led.map((partition) => ({ partition, messages: [message] })) }],
      });
    },
  });
  const cluster = {
    connect: note('connect'),
    addTargetTopic: note('addTargetTopic'),
    disconnect: note('disconnect'),
    refreshMetadataIfNecessary: note('refresh'),
    findTopicPartitionMetadata: () => partitions.map((partitionId) => ({ partitionId })),
    fetchTopicsOffset: note('offsets', [{ partitions: partitions.map((partition) => ({ partition, offset: '5' })) }]),
    findLeaderForPartitions: () => ({ 1: [0, 2], 2: [1] }),
    findBroker: ({ nodeId }: { nodeId: string }) => Promise.resolve(brokerOf(nodeId, nodeId === '1' ? [0, 2] : [1])),
  };
  return { calls, cluster: cluster as unknown as InnerCluster };
}

const options = { topic: 't', name: 'p-t', waitMs: 500, partitionBytes: MIB };

describe('a fetch without a group', () => {
  it('begins at the first kept position of each partition', async () => {
    const { calls, cluster } = brokers();
    expect([...(await new GrouplessFetch(cluster, options).open())]).toEqual([[0, 5], [1, 5], [2, 5]]); // prettier-ignore
    const asked = { topic: 'p-t', partitions: [0, 1, 2].map((partition) => ({ partition })), fromBeginning: true };
    expect(calls).toEqual([['connect', undefined], ['addTargetTopic', 'p-t'], ['offsets', [asked]]]); // prettier-ignore
  });

  it('leaves out the records of transactions that were aborted, in whatever order the brokers name these', async () => {
    const message = (offset: number, producerId: string, isControlRecord = false) => {
      const batchContext = { firstOffset: `${offset}`, lastOffsetDelta: 0, producerId, inTransaction: true };
      const key = isControlRecord ? Buffer.alloc(4) : null;
      return { key, value: null, offset: `${offset}`, timestamp: '0', headers: {}, isControlRecord, batchContext };
    };
    const messages = [message(0, '7'), message(1, '8'), message(2, '8', true), message(3, '7', true), message(4, '7')];
    const abortedTransactions = [
      { producerId: '8', firstOffset: '1' },
      { producerId: '7', firstOffset: '0' },
    ];
    const { cluster } = brokers([0]);
    const fetch = () =>
      Promise.resolve({ responses: [{ partitions: [{ partition: 0, messages, abortedTransactions }] }] });
    const one = {
      ...cluster,
      findLeaderForPartitions: () => ({ 1: [0] }),
      findBroker: () => Promise.resolve({ fetch }),
    };
    const reader = new GrouplessFetch(one as unknown as InnerCluster, options);
    await reader.open();
    const [fetched] = await reader.fetch(new Map([[0, 0]]));
    expect([fetched!.records.map(({ position }) => position), fetched!.next]).toEqual([[4], 5]);
  });

  it('returns records of every leader, and none of an uncommitted transaction', async () => {
    const { calls, cluster } = brokers();
    const positions = new Map([[0, 3], [1, 4], [2, 7]]); // prettier-ignore
    const fetched = await new GrouplessFetch(cluster, options).fetch(positions);
    expect(fetched.map(({ partition, records, next }) => [partition, records[0]?.value.toString(), next])).toEqual([
      [0, '1', 8],
      [2, '1', 8],
      [1, '2', 8],
    ]);
    const wanted = (partition: number, fetchOffset: string) => ({ partition, fetchOffset, maxBytes: MIB });
    const asked = { maxWaitTime: 500, minBytes: 1, maxBytes: 8 * MIB, isolationLevel: 1 };
    expect(calls).toEqual([
      ['refresh', undefined],
      ['fetch 1', { ...asked, topics: [{ topic: 'p-t', partitions: [wanted(0, '3'), wanted(2, '7')] }] }],
      ['fetch 2', { ...asked, topics: [{ topic: 'p-t', partitions: [wanted(1, '4')] }] }],
    ]);
  });

  it('requests enough bytes for the largest batch of the topic', async () => {
    const { calls, cluster } = brokers();
    await new GrouplessFetch(cluster, { ...options, partitionBytes: 9 * MIB }).fetch(new Map([[0, 0]]));
    expect(calls.at(-1)).toMatchObject(['fetch 2', { maxBytes: 9 * MIB }]);
  });

  it('fails with UNKNOWN_TOPIC_OR_PARTITION when the brokers know no partition of the topic', () => {
    const fetch = new GrouplessFetch(brokers([]).cluster, options);
    expect(() => fetch.partitions).toThrow(expect.objectContaining({ type: 'UNKNOWN_TOPIC_OR_PARTITION' }));
  });

  it('disconnects when it is closed', async () => {
    const { calls, cluster } = brokers();
    await new GrouplessFetch(cluster, options).close();
    expect(calls).toEqual([['disconnect', undefined]]);
  });
});
