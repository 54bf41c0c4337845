import type { EachBatchPayload } from 'kafkajs';
import { GroupHand } from '../kafka/group.hand';
import { Progress } from '../kafka/progress';
import type { RecordBatch } from '../log.port';
import { Lines } from './outcome.app';

/** An error of the brokers, by the protocol's name of it. */
export const fault = (type: string) => Object.assign(new Error(type), { type });

/** What kafkajs hands over for one partition. */
export class Payload {
  readonly resolved: string[] = [];
  readonly committed: string[] = [];
  heartbeats = 0;
  onHeartbeat: () => Promise<void> = () => Promise.resolve();
  /** Called with the notes of the commit. */
  onCommit: (notes: (string | undefined)[]) => Promise<void> = () => Promise.resolve();
  readonly notes: (string | undefined)[] = [];
  stale = false;
  /** Positions behind the last record that are not those of records. */
  marks = 0;
  epoch: number | undefined;

  constructor(
    readonly partition: number,
    readonly count: number,
    readonly from = 0,
  ) {}

  get kafkajs(): EachBatchPayload {
    const messages = Array.from({ length: this.count }, (_, i) => {
      return {
        key: null,
        value: Buffer.from(`${this.partition}/${this.from + i}`),
        offset: String(this.from + i),
        timestamp: '9',
        headers: { ce_id: Buffer.from(`id ${this.from + i}`) },
        batchContext: { partitionLeaderEpoch: this.epoch },
      };
    });
    const lastOffset = () => String(this.from + this.count - 1 + this.marks);
    return {
      batch: { topic: 'p-t', partition: this.partition, messages, lastOffset },
      isStale: () => this.stale,
      resolveOffset: (offset: string) => void this.resolved.push(offset),
      heartbeat: () => {
        this.heartbeats += 1;
        return this.onHeartbeat();
      },
      commitOffsetsIfNecessary: async (offsets: {
        topics: { topic: string; partitions: { partition: number; offset: string; metadata?: string }[] }[];
      }) => {
        await this.onCommit(offsets.topics.flatMap(({ partitions }) => partitions.map(({ metadata }) => metadata)));
        for (const { topic, partitions } of offsets.topics) {
          for (const { partition, offset, metadata } of partitions) {
            this.committed.push(`${topic}/${partition}@${offset}`);
            this.notes.push(metadata);
          }
        }
      },
    } as unknown as EachBatchPayload;
  }
}

/** A check that is due once if `onCheck` is set. */
export class Tails {
  onCheck: (() => void) | undefined;
  readonly seen: string[] = [];
  get isDue(): boolean {
    return this.onCheck !== undefined;
  }
  joined = () => {};
  stop = () => {};
  fetched = (partition: number, epoch: number | undefined) => void this.seen.push(`${partition}:${epoch}`);
  check = (): Promise<void> => {
    this.onCheck?.();
    this.onCheck = undefined;
    return Promise.resolve();
  };
}

/** What a member of a group hands records over with, beside what it reports to. */
export function openHand(onBatch: (batch: RecordBatch) => Promise<void>, maxRecords = 100) {
  const [progress, tails, lines] = [new Progress(), new Tails(), new Lines()];
  const limits = { maxRecords, maxBytes: 1_000 };
  const coordinatorGone = () => fault('NOT_COORDINATOR_FOR_GROUP');
  const names = { topic: 't', name: 'p-t', group: 'g' };
  const hand = new GroupHand({ ...names, lines, onBatch, limits, progress, tails, coordinatorGone });
  return { hand, progress, tails, lines };
}
