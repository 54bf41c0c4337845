import type { ICustomPartitioner, PartitionMetadata } from 'kafkajs';

/** Partition of a key. */
export type PartitionOf = (key: string, partitions: number) => number;

/** Where the Java client puts a key too: murmur2 of its UTF-8 bytes, modulo the number of partitions. */
export function partitionOf(createPartitioner: ICustomPartitioner): PartitionOf {
  const partitioner = createPartitioner();
  const known = new Map<number, PartitionMetadata[]>();
  return (key, partitions) => {
    let partitionMetadata = known.get(partitions);
    if (!partitionMetadata) {
      partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => {
        return { partitionId, leader: 0, replicas: [], isr: [], partitionErrorCode: 0 };
      });
      known.set(partitions, partitionMetadata);
    }
    return partitioner({ topic: '', partitionMetadata, message: { key, value: null } });
  };
}
