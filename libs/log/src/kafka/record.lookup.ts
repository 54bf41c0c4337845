import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import type { LogRecord } from '../log.port';
import { isUnreadable } from './compression';
import { GrouplessFetch } from './groupless.fetch';
import { faultType } from './kafka.client';

/**
 * The first record at or after each of the positions, by partition. One partition after the other, as brokers answer
 * with at least one batch of the first: so no more is fetched than that. A record that cannot be had is left out.
 */
export async function lookUpRecords(
  cluster: InnerCluster,
  topic: { topic: string; name: string },
  positions: ReadonlyMap<number, number>,
): Promise<Map<number, LogRecord>> {
  const fetch = new GrouplessFetch(cluster, { ...topic, waitMs: 0, partitionBytes: 1 });
  const found = new Map<number, LogRecord>();
  try {
    await fetch.open();
    for (const [partition, position] of positions) {
      const record = await firstAt(fetch, partition, position);
      if (record) found.set(partition, record);
    }
    return found;
  } finally {
    await fetch.close().catch(() => {});
  }
}

async function firstAt(fetch: GrouplessFetch, partition: number, position: number): Promise<LogRecord | undefined> {
  try {
    const [fetched] = await fetch.fetch(new Map([[partition, position]]));
    return fetched?.records[0];
  } catch (error) {
    if (faultType(error) === 'OFFSET_OUT_OF_RANGE' || isUnreadable(error)) return undefined;
    throw error;
  }
}
