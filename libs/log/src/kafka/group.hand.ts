import { setImmediate as turn } from 'node:timers/promises';
import { pause } from '@lettermill/concurrency';
import type { EachBatchPayload } from 'kafkajs';
import type { BatchLimits } from '../log.batches';
import { LogUnavailable } from '../log.port';
import { Handover, type HandoverOptions, type Holder } from './handover';
import { faultType } from './kafka.client';
import { recordOf } from './kafka.records';
import { takePortion, type Chunk } from './portion';
import type { Progress } from './progress';

const HEARTBEAT_MS = 1_000;
/** Positions are committed together for what is handled within this time, unless nothing is left in hand before. */
const COMMIT_MS = 100;
const COMMIT_TRIES = 3;
const COMMIT_PAUSE_MS = 200;
/** The group shares its partitions out anew: finish, commit, join again. */
const LEAVING = ['REBALANCE_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP'];
/** The partitions belong to others already: a commit would be refused. */
const LOST = ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'];

export interface HandOptions extends HandoverOptions {
  limits: BatchLimits;
  /** `topic` as the brokers name it. */
  name: string;
  progress: Progress;
  /** What makes kafkajs look for the group's coordinator and join again. */
  coordinatorGone(): Error;
}

interface Held extends Chunk {
  payload: EachBatchPayload;
  done(): void;
  fail(error: unknown): void;
}

/** Ends a consumer of kafkajs: not to be tried again. */
class Abandoned extends Error {
  readonly retriable = false;
}

/**
 * What one member has fetched, on its way through the handler. kafkajs hands over each partition by itself and at the
 * same time; here they become batches over all partitions, one at a time. kafkajs joins a group again after each
 * `take` has ended; where a partition has another leader it does so at once, and `joined` tells what of that in hand is still ours.
 */
export class GroupHand implements Holder {
  private readonly handover: Handover;
  private held: Held[] = [];
  private working = false;
  private beat: NodeJS.Timeout | undefined;
  private stopped = false;
  private abandoned = false;
  /** Why the partitions have to be given back. */
  private leaving: unknown;
  private lost = false;
  /** Positions after what the handler has accepted and nobody has committed yet, by partition. */
  private handled = new Map<number, number>();

  constructor(private readonly options: HandOptions) {
    this.handover = new Handover(options);
  }

  get stopping(): boolean {
    return this.stopped || this.leaving !== undefined;
  }

  get busy(): boolean {
    return this.working;
  }

  /** Nothing more is handed out; what is in the handler is still committed. */
  stop(): void {
    this.stopped = true;
    this.handover.wake();
  }

  /** The consumer should be gone. Should it not be, what it fetches next ends it. */
  abandon(): void {
    this.abandoned = true;
  }

  /** The group was shared out anew, these are ours. Who has the others may have come further: to commit them would take that back. */
  joined(partitions: readonly number[]): void {
    const lost = this.held.filter(({ partition }) => !partitions.includes(partition));
    this.held = this.held.filter((chunk) => !lost.includes(chunk));
    for (const { partition, done } of lost) {
      this.handled.delete(partition);
      done();
    }
  }

  /** Ends when the records are handled and committed, or have to be given back; then without their offset resolved. */
  take(payload: EachBatchPayload): Promise<void> {
    if (this.abandoned) return Promise.reject(new Abandoned());
    const { topic } = this.options;
    const { partition, messages } = payload.batch;
    const records = messages.map((message) => recordOf(topic, partition, message));
    return new Promise((resolve, reject) => {
      this.held.push({ partition, records, taken: 0, payload, done: resolve, fail: reject });
      if (this.working) return;
      this.working = true;
      this.leaving = undefined;
      this.lost = false;
      this.beat = setInterval(() => void this.heartbeat().catch(() => {}), HEARTBEAT_MS);
      // The other partitions of the same fetch come within this turn.
      void turn().then(() => this.work());
    });
  }

  /** Rejects with `LogUnavailable` when the membership is lost: what the handler does now, another does as well. */
  async heartbeat(): Promise<void> {
    if (!this.lost) await this.held[0]?.payload.heartbeat().catch((error: unknown) => this.leave(error));
    if (this.lost) throw new LogUnavailable('the partitions were given to another member of the group');
  }

  private leave(error: unknown): void {
    const type = faultType(error) ?? '';
    this.lost ||= LOST.includes(type);
    if (!this.lost && !LEAVING.includes(type)) return;
    this.leaving ??= error;
    this.handover.wake();
  }

  private async work(): Promise<void> {
    let committedAt = Date.now();
    try {
      while (this.held.length > 0 && !this.stopping) {
        const { records, next } = takePortion(this.held, this.options.limits);
        if (!(await this.handover.give(records, this))) break;
        for (const [partition, position] of this.ours(next)) this.handled.set(partition, position);
        const more = this.held.some((chunk) => chunk.taken < chunk.records.length);
        if (more && Date.now() - committedAt < COMMIT_MS) continue;
        await this.commit();
        committedAt = Date.now();
      }
      // Whoever gets the rest begins behind what was handled.
      if (this.handled.size > 0 && !this.lost) await this.commit();
    } catch (error) {
      this.leaving ??= error;
    }
    this.handled.clear();
    clearInterval(this.beat);
    this.working = false;
    for (const { done, fail } of this.held.splice(0)) {
      if (this.leaving === undefined) done();
      else fail(this.leaving);
    }
  }

  /** Rejects when the group has other plans, or its coordinator does not answer: another broker may be it by now. */
  private async commit(): Promise<void> {
    const { name } = this.options;
    const next = this.handled;
    this.handled = new Map();
    for (let tries = 1; ; tries += 1) {
      const ours = this.ours(next);
      if (ours.size === 0) return;
      const { payload } = this.held[0]!;
      const partitions = [...ours].map(([partition, position]) => ({ partition, offset: String(position) }));
      try {
        await payload.commitOffsetsIfNecessary({ topics: [{ topic: name, partitions }] });
        return this.advance(ours);
      } catch (error) {
        this.leave(error);
        if (this.leaving !== undefined) throw error;
        if (tries === COMMIT_TRIES) throw this.options.coordinatorGone();
      }
      await pause(COMMIT_PAUSE_MS);
    }
  }

  /** Of a partition that was lost and came back, nothing that is held was handed out yet. */
  private ours(next: ReadonlyMap<number, number>): Map<number, number> {
    const begun = new Set(this.held.filter(({ taken }) => taken > 0).map(({ partition }) => partition));
    return new Map([...next].filter(([partition]) => begun.has(partition)));
  }

  private advance(next: ReadonlyMap<number, number>): void {
    const { progress } = this.options;
    for (const [partition, position] of next) progress.reached(partition, position);
    this.held = this.held.filter(({ partition, records, payload, done }) => {
      const position = next.get(partition);
      if (position === undefined) return true;
      payload.resolveOffset(String(position - 1));
      if (position <= records.at(-1)!.position) return true;
      done();
      return false;
    });
    progress.tell();
  }
}
