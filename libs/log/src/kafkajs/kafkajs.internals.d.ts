/**
 * Parts of kafkajs 2.2.4 that it has no types for: fetching without a group, removing members of groups, a broker, a connection
 * and the request queue of its socket, the runner of a consumer, and the encoding of requests to produce
 * and for metadata.
 */
declare module 'kafkajs/src/cluster/index.js' {
  import type { KafkaMessage, Logger } from 'kafkajs';

  export type InnerMessage = KafkaMessage & {
    isControlRecord: boolean;
    /** Set for records in record batches, as all are that brokers of this decade keep. */
    batchContext?: { firstOffset: string; lastOffsetDelta: number; partitionLeaderEpoch?: number };
  };

  export interface InnerBroker {
    fetch(request: {
      maxWaitTime: number;
      minBytes: number;
      maxBytes: number;
      isolationLevel: number;
      topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[];
    }): Promise<{
      responses: {
        topicName: string;
        partitions: InnerPartition[];
      }[];
    }>;
  }

  export interface InnerPartition {
    partition: number;
    highWatermark: string;
    messages: InnerMessage[];
    abortedTransactions?: { producerId: string; firstOffset: string }[];
  }

  export interface InnerCoordinator {
    describeGroups(request: {
      groupIds: string[];
    }): Promise<{ groups: { members: { memberId: string; clientId: string }[] }[] }>;
    leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
  }

  export interface InnerCluster {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadataIfNecessary(): Promise<void>;
    findTopicPartitionMetadata(topic: string): { partitionId: number }[];
    findLeaderForPartitions(topic: string, partitions: number[]): Record<string, number[]>;
    findGroupCoordinator(group: { groupId: string }): Promise<InnerCoordinator>;
    findBroker(node: { nodeId: string }): Promise<InnerBroker>;
    fetchTopicsOffset(
      topics: { topic: string; partitions: { partition: number }[]; fromBeginning: boolean }[],
    ): Promise<{ topic: string; partitions: { partition: number; offset: string }[] }[]>;
  }

  const Cluster: new (options: Record<string, unknown> & { logger: Logger }) => InnerCluster;
  export default Cluster;
}

declare module 'kafkajs/src/consumer/filterAbortedMessages.js' {
  import type { InnerMessage, InnerPartition } from 'kafkajs/src/cluster/index.js';

  export type FilterAborted = (given: Pick<InnerPartition, 'messages' | 'abortedTransactions'>) => InnerMessage[];
  const filterAborted: FilterAborted;
  export default filterAborted;
}

declare module 'kafkajs/src/broker/index.js' {
  export interface InnerBroker {
    connect(): Promise<void>;
    apiVersions(): Promise<object>;
  }
  const Broker: { prototype: InnerBroker };
  export default Broker;
}

declare module 'kafkajs/src/cluster/brokerPool.js' {
  const BrokerPool: new (options: Record<string, unknown>) => { connect(): Promise<void> };
  export default BrokerPool;
}

declare module 'kafkajs/src/network/socketFactory.js' {
  const createSocketFactory: () => unknown;
  export default createSocketFactory;
}

declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net';

  export interface InnerConnection {
    /** Undefined before the first `connect`, and when the settings do not allow a socket to be created. */
    socket?: Socket;
    /** `host:port` */
    broker: string;
    connect(): Promise<unknown>;
    processData(data: Buffer): void;
    disconnect(): Promise<unknown>;
    isConnected(): boolean;
    send(asked: { request: object; response: unknown }): Promise<unknown>;
  }
  const Connection: { new (options: Record<string, unknown>): InnerConnection; prototype: InnerConnection };
  export default Connection;
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  export interface InnerQueue {
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    pending: unknown[];
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
  }
  const RequestQueue: { new (options: Record<string, unknown>): InnerQueue; prototype: InnerQueue };
  export default RequestQueue;
}

declare module 'kafkajs/src/consumer/runner.js' {
  export interface InnerRunner {
    running: boolean;
    fetchManager: { stop(): Promise<void> };
    fetch(nodeId: number): Promise<unknown[]>;
    heartbeat(): Promise<void>;
    scheduleFetchManager(): void;
    stop(): Promise<void>;
  }
  const Runner: { new (options: Record<string, unknown>): InnerRunner; prototype: InnerRunner };
  export default Runner;
}

declare module 'kafkajs/src/protocol/requests/metadata/index.js' {
  export interface MetadataProtocol {
    protocol(given: { version: number }): (asked: { topics: string[]; allowAutoTopicCreation: boolean }) => {
      request: { encode(): Promise<{ buf: Buffer; buffer: Buffer }> };
      response: unknown;
    };
  }
  const metadata: MetadataProtocol;
  export default metadata;
}

declare module 'kafkajs/src/protocol/requests/produce/index.js' {
  import type { Message } from 'kafkajs';

  export interface ProduceArguments {
    acks: number;
    /** Milliseconds. */
    timeout: number;
    compression?: number;
    transactionalId?: string;
    producerId: unknown;
    topicData: { topic: string; partitions: { partition: number; messages: Message[] }[] }[];
  }

  export interface ProduceProtocol {
    protocol(given: { version: number }): (asked: ProduceArguments) => {
      request: { encode(): Promise<{ buf: Buffer; buffer: Buffer }> };
      response: unknown;
    };
  }
  const produce: ProduceProtocol;
  export default produce;
}
