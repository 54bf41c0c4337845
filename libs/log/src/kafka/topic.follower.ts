import type { RecordLimits } from '../log.batches';
import { Sleeper } from '../sleeper';
import { Handover, type HandoverOptions, type RecordHolder } from '../handover';
import { GrouplessFetch, type FetchOptions } from './groupless.fetch';
import type { Fetched } from './kafka.records';
import { faultType, NO_SUCH_TOPIC, type KafkaClients } from './kafka.client';
import { COMPRESSION_CODE, COMPRESSION_TEXT, isUnreadable } from './compression';
import { takePortion } from './portion';
import type { Progress } from './progress';

const FETCH_WAIT_MS = 500;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
const OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

export interface FollowerOptions extends HandoverOptions, Omit<FetchOptions, 'waitMs'> {
  clients: KafkaClients;
  limits: RecordLimits;
  progress: Progress;
}

/** Reads a topic from its first kept record on, without a consumer group: all partitions, nothing committed, nothing left behind. */
export class TopicFollower implements RecordHolder {
  private readonly handover: Handover;
  private readonly ended: Promise<void>;
  private positions = new Map<number, number>();
  private stopped = false;
  private readonly sleeper = new Sleeper();
  private fetch: GrouplessFetch | undefined;

  constructor(private readonly options: FollowerOptions) {
    this.handover = new Handover(options);
    this.ended = this.runUntilClosed();
  }

  get stopping(): boolean {
    return this.stopped;
  }

  heartbeat(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.stopped = true;
    this.handover.wake();
    this.sleeper.wake();
    // A fetch that waits for records is answered first, within FETCH_WAIT_MS.
    await this.fetch?.close().catch(() => {});
    await this.ended;
  }

  /** Replaces connections that failed, and keeps the positions. */
  private async runUntilClosed(): Promise<void> {
    const { clients, topic, lines, progress } = this.options;
    for (let backoffMs = MIN_BACKOFF_MS; !this.stopped; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      const fetch = new GrouplessFetch(clients.cluster('follower'), { ...this.options, waitMs: FETCH_WAIT_MS });
      this.fetch = fetch;
      try {
        await this.resume(fetch);
        while (!this.stopped) {
          // The topic may have been given more partitions.
          for (const partition of fetch.partitions) {
            if (!this.positions.has(partition)) this.positions.set(partition, 0);
          }
          await this.handle(await fetch.fetch(this.positions));
          backoffMs = MIN_BACKOFF_MS;
        }
      } catch (error) {
        if (this.stopped) break;
        const code = faultType(error) ?? 'no_connection';
        if (isUnreadable(error)) lines.error({ topic, code: COMPRESSION_CODE, pause: backoffMs }, COMPRESSION_TEXT);
        else lines.warn({ topic, code, pause: backoffMs }, 'a topic could not be read; trying again');
        // If it is created again, its positions hold other records.
        if (code === NO_SUCH_TOPIC) this.positions.clear();
        await this.sleeper.sleep(backoffMs);
      } finally {
        await fetch.close().catch(() => {});
      }
    }
    progress.end();
  }

  /** Goes on at the known positions; forward to what is still kept, and back to the first record of a topic that was created anew. */
  private async resume(fetch: GrouplessFetch): Promise<void> {
    const firstPositions = await fetch.open();
    const known = this.positions;
    this.positions = new Map(
      [...firstPositions].map(([partition, at]) => [partition, Math.max(at, known.get(partition) ?? at)]),
    );
    this.reportProgress();
    await fetch.fetch(this.positions).then(
      (fetched) => this.handle(fetched),
      (error: unknown) => {
        if (faultType(error) !== OUT_OF_RANGE) throw error;
        this.positions = firstPositions;
        this.reportProgress();
      },
    );
  }

  private async handle(fetched: Fetched[]): Promise<void> {
    const records = fetched.flatMap((of) => of.records);
    const chunk = { partition: 0, records, taken: 0 };
    while (chunk.taken < records.length) {
      const portion = takePortion([chunk], this.options.limits);
      if (this.stopped || !(await this.handover.deliver(portion.records, this))) return;
    }
    for (const { partition, next } of fetched) this.positions.set(partition, next);
    this.reportProgress();
  }

  private reportProgress(): void {
    const { progress } = this.options;
    for (const [partition, position] of this.positions) progress.reached(partition, position);
    progress.notify();
  }
}
