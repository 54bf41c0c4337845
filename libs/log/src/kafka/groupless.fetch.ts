import type { InnerBroker, InnerCluster, InnerMessage, InnerPartition } from 'kafkajs/src/cluster/index.js';
import type { FilterAborted } from 'kafkajs/src/consumer/filterAbortedMessages.js';
import { NO_SUCH_TOPIC, READ_COMMITTED } from './kafka.client';
import { fetchedOf, type Fetched } from './kafka.records';
import { missingTopicsText } from './missing.topics';

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

export interface FetchOptions {
  topic: string;
  /** As the brokers name it. */
  name: string;
  /** How long the brokers may wait for records to come, milliseconds. */
  waitMs: number;
  /** Most bytes that are fetched of one partition. */
  partitionBytes: number;
}

/**
 * Fetches from any position, without a consumer group. It has connections of its own, as a fetch that waits for records
 * holds up every other request on the same connection.
 */
export class GrouplessFetch {
  private filterAborted!: FilterAborted;

  constructor(
    private readonly cluster: InnerCluster,
    private readonly options: FetchOptions,
  ) {}

  /** Connects; resolves with the first kept position of each partition. */
  async open(): Promise<Map<number, number>> {
    const { name } = this.options;
    this.filterAborted = (await import('kafkajs/src/consumer/filterAbortedMessages.js')).default;
    await this.cluster.connect();
    await this.cluster.addTargetTopic(name);
    return this.firstPositions();
  }

  close(): Promise<void> {
    return this.cluster.disconnect();
  }

  /**
   * As of the latest metadata. Throws when there are none: a fetch of no partition does not wait, so its caller would
   * loop without a pause.
   */
  get partitions(): number[] {
    const { name } = this.options;
    const partitions = this.cluster.findTopicPartitionMetadata(name);
    if (partitions.length === 0) throw Object.assign(new Error(missingTopicsText([name])), { type: NO_SUCH_TOPIC });
    return partitions.map(({ partitionId }) => partitionId);
  }

  async firstPositions(): Promise<Map<number, number>> {
    const { name } = this.options;
    const partitions = this.partitions.map((partition) => ({ partition }));
    const [answer] = await this.cluster.fetchTopicsOffset([{ topic: name, partitions, fromBeginning: true }]);
    return new Map((answer?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)]));
  }

  /** The next records of some of the partitions, in order within each; none if none came in time. */
  async fetch(positions: Map<number, number>): Promise<Fetched[]> {
    await this.cluster.refreshMetadataIfNecessary();
    const leaders = this.cluster.findLeaderForPartitions(this.options.name, [...positions.keys()]);
    const answers = Object.entries(leaders).map(async ([nodeId, partitions]) => {
      const broker = await this.cluster.findBroker({ nodeId });
      return this.fetchFrom(broker, partitions, positions);
    });
    return (await Promise.all(answers)).flat();
  }

  private async fetchFrom(broker: InnerBroker, partitions: number[], from: Map<number, number>): Promise<Fetched[]> {
    const { topic, name, waitMs, partitionBytes } = this.options;
    const wanted = partitions.map((partition) => {
      return { partition, fetchOffset: String(from.get(partition)), maxBytes: partitionBytes };
    });
    const { responses } = await broker.fetch({
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes: Math.max(MAX_RESPONSE_BYTES, partitionBytes),
      isolationLevel: READ_COMMITTED,
      topics: [{ topic: name, partitions: wanted }],
    });
    return responses.flatMap((response) =>
      response.partitions.map((one) => {
        const { partition, messages } = one;
        return fetchedOf(topic, partition, from.get(partition)!, messages, this.withoutAborted(one));
      }),
    );
  }

  /** Brokers send the records of aborted transactions, too, and say which they are, in no certain order. */
  private withoutAborted({ messages, abortedTransactions }: InnerPartition): InnerMessage[] {
    if (!abortedTransactions?.length) return messages;
    const byOffset = abortedTransactions.toSorted((one, other) => Number(one.firstOffset) - Number(other.firstOffset));
    return this.filterAborted({ messages, abortedTransactions: byOffset });
  }
}
