import { setImmediate as turn } from 'node:timers/promises';
import { pause } from '@lettermill/concurrency';
import type { EachBatchPayload } from 'kafkajs';
import type { InnerMessage } from 'kafkajs/src/cluster/index.js';
import type { RecordLimits } from '../log.batches';
import { LogUnavailable } from '../log.port';
import { Handover, type HandoverOptions, type RecordHolder } from '../handover';
import { noteText } from './commit.note';
import { faultType } from './kafka.client';
import { recordOf } from './kafka.records';
import { takePortion, type Chunk } from './portion';
import type { Progress } from './progress';
import type { TailCheck } from './tail.check';

const HEARTBEAT_MS = 1_000;
/** Positions of records handled within this time are committed together; earlier when no fetched record is left. */
const COMMIT_INTERVAL_MS = 100;
const MAX_COMMIT_TRIES = 3;
const COMMIT_RETRY_DELAY_MS = 200;
const MAX_HALVINGS = 16;
/** The group is being rebalanced: finish, commit, join again. */
const REBALANCE_ERRORS = ['REBALANCE_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP'];
/** The partitions already belong to other members: a commit would be refused. */
const MEMBERSHIP_LOST_ERRORS = ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION'];

const NOTE_REFUSED = 'OFFSET_METADATA_TOO_LARGE';
const NOTE_REFUSED_TEXT =
  'the brokers take no note beside a position (offset.metadata.max.bytes): if they lose records that were read, nothing will tell';

export interface HandOptions extends HandoverOptions {
  limits: RecordLimits;
  /** `topic` as the brokers name it. */
  name: string;
  progress: Progress;
  tails: Pick<TailCheck, 'isDue' | 'joined' | 'fetched' | 'check' | 'stop'>;
  /** The error that makes kafkajs look for the group's coordinator and join again. */
  coordinatorGone(): Error;
}

interface HeldChunk extends Chunk {
  payload: EachBatchPayload;
  /** Position after everything that was fetched: the mark that ends a transaction is no record, and has a position. */
  end: number;
  /** Of the leader that appended the last of the records. */
  epoch: number | undefined;
  done(): void;
  fail(error: unknown): void;
}

/** Ends a consumer of kafkajs, which does not retry it. */
class Abandoned extends Error {
  readonly retriable = false;
}

/**
 * The records that one member has fetched, on their way through the handler. kafkajs hands over each partition by
 * itself, all at the same time; here they become batches over all partitions, one at a time. kafkajs usually joins the
 * group again only after each `take` has ended; when a partition gets another leader it does so at once, and `joined`
 * tells which of the held records are still ours.
 */
export class GroupHand implements RecordHolder {
  private readonly handover: Handover;
  private heldChunks: HeldChunk[] = [];
  private isWorking = false;
  private heartbeatTimer: NodeJS.Timeout | undefined;
  private stopped = false;
  private abandoned = false;
  /** Why the partitions have to be given up. */
  private leaveReason: unknown;
  private isMembershipLost = false;
  /** Positions after records that the handler has accepted but that are not committed yet, by partition. */
  private uncommitted = new Map<number, number>();
  /** How often the portions are halved. */
  private halvings = 0;
  private areNotesRefused = false;

  constructor(private readonly options: HandOptions) {
    this.handover = new Handover(options);
  }

  get stopping(): boolean {
    return this.stopped || this.leaveReason !== undefined;
  }

  get busy(): boolean {
    return this.isWorking;
  }

  /** Hands out nothing more; the batch in the handler is still committed. */
  stop(): void {
    this.stopped = true;
    this.options.tails.stop();
    this.handover.wake();
  }

  /** Called when the consumer should be gone. If it is not, its next fetch ends it. */
  abandon(): void {
    this.abandoned = true;
  }

  /**
   * Called after a rebalance with the partitions that are ours now. Records of the others are dropped: their new owner
   * may be further on, and our commit would set its position back.
   */
  joined(partitions: readonly number[]): void {
    this.options.tails.joined(partitions);
    this.drop(this.heldChunks.filter(({ partition }) => !partitions.includes(partition)));
  }

  /** Called when a partition has to be read from another position: what is held of it is neither handed out nor committed. */
  giveUp(partition: number): void {
    this.drop(this.heldChunks.filter((chunk) => chunk.partition === partition));
  }

  /** They are fetched again, by whoever has their partition. */
  private drop(lostChunks: HeldChunk[]): void {
    this.heldChunks = this.heldChunks.filter((chunk) => !lostChunks.includes(chunk));
    for (const { partition, done } of lostChunks) {
      this.uncommitted.delete(partition);
      done();
    }
  }

  /** Settles when the records are handled and committed, or have to be given back; in that case their offset is not resolved. */
  take(payload: EachBatchPayload): Promise<void> {
    if (this.abandoned) return Promise.reject(new Abandoned());
    // Fetched just before it was found out that the partition has to be read from another position.
    if (payload.isStale()) return Promise.resolve();
    const { topic, tails } = this.options;
    const { partition, messages } = payload.batch;
    const records = messages.map((message) => recordOf(topic, partition, message));
    const end = Number(payload.batch.lastOffset()) + 1;
    const epoch = (messages.at(-1) as InnerMessage | undefined)?.batchContext?.partitionLeaderEpoch;
    tails.fetched(partition, epoch);
    return new Promise((resolve, reject) => {
      this.heldChunks.push({ partition, records, taken: 0, payload, end, epoch, done: resolve, fail: reject });
      if (this.isWorking) return;
      this.isWorking = true;
      this.leaveReason = undefined;
      this.isMembershipLost = false;
      this.heartbeatTimer = setInterval(() => void this.heartbeat().catch(() => {}), HEARTBEAT_MS);
      // The other partitions of the same fetch arrive within this turn of the event loop.
      void turn().then(() => this.handleHeld());
    });
  }

  /** Rejects with `LogUnavailable` when the membership is lost: another member handles the same records now. */
  async heartbeat(): Promise<void> {
    if (!this.isMembershipLost)
      await this.heldChunks[0]?.payload.heartbeat().catch((error: unknown) => this.noteLeaveReason(error));
    if (this.isMembershipLost) throw new LogUnavailable('the partitions were given to another member of the group');
  }

  private noteLeaveReason(error: unknown): void {
    const type = faultType(error) ?? '';
    if (!this.isMembershipLost && MEMBERSHIP_LOST_ERRORS.includes(type)) {
      this.isMembershipLost = true;
      // Perhaps the batch took longer than the others wait for this member: as large, it would again, for ever.
      this.halvings = Math.min(this.halvings + 1, MAX_HALVINGS);
    }
    if (!this.isMembershipLost && !REBALANCE_ERRORS.includes(type)) return;
    this.leaveReason ??= error;
    this.handover.wake();
  }

  private async handleHeld(): Promise<void> {
    let committedAt = Date.now();
    try {
      while (this.heldChunks.length > 0 && !this.stopping) {
        if (this.options.tails.isDue) {
          await this.options.tails.check();
          continue;
        }
        const { records, next } = takePortion(this.heldChunks, this.portionLimits());
        if (!(await this.handover.deliver(records, this))) break;
        for (const [partition, position] of this.stillOurs(next)) this.uncommitted.set(partition, position);
        const more = this.heldChunks.some((chunk) => chunk.taken < chunk.records.length);
        if (more && Date.now() - committedAt < COMMIT_INTERVAL_MS) continue;
        await this.commit();
        committedAt = Date.now();
      }
      // The member that gets the rest begins after what was handled.
      if (this.uncommitted.size > 0 && !this.isMembershipLost) await this.commit();
    } catch (error) {
      this.leaveReason ??= error;
    }
    this.uncommitted.clear();
    clearInterval(this.heartbeatTimer);
    this.isWorking = false;
    for (const { done, fail } of this.heldChunks.splice(0)) {
      if (this.leaveReason === undefined) done();
      else fail(this.leaveReason);
    }
  }

  private portionLimits(): RecordLimits {
    const { maxRecords, maxBytes } = this.options.limits;
    return { maxRecords: Math.max(1, maxRecords >> this.halvings), maxBytes: Math.max(1, maxBytes >> this.halvings) };
  }

  /**
   * Rejects when the group is rebalanced or the membership is lost, or when the coordinator does not answer: another
   * broker may have become the coordinator.
   */
  private async commit(): Promise<void> {
    const { name } = this.options;
    const next = this.uncommitted;
    this.uncommitted = new Map();
    for (let tries = 1; ; tries += 1) {
      const ours = this.stillOurs(next);
      if (ours.size === 0) return;
      const { payload } = this.heldChunks[0]!;
      const partitions = [...ours].map(([partition, position]) => this.commitOf(partition, position));
      try {
        await payload.commitOffsetsIfNecessary({ topics: [{ topic: name, partitions }] });
        this.halvings = Math.max(0, this.halvings - 1);
        return this.resolveCommitted(ours);
      } catch (error) {
        this.noteLeaveReason(error);
        if (this.leaveReason !== undefined) throw error;
        if (this.dropsNotes(error)) continue;
        if (tries >= MAX_COMMIT_TRIES) throw this.options.coordinatorGone();
      }
      await pause(COMMIT_RETRY_DELAY_MS);
    }
  }

  /** Leaves out partitions that were lost, even those that came back: nothing held of them has been handed out yet. */
  private stillOurs(next: ReadonlyMap<number, number>): Map<number, number> {
    const begun = new Set(this.heldChunks.filter(({ taken }) => taken > 0).map(({ partition }) => partition));
    return new Map([...next].filter(([partition]) => begun.has(partition)));
  }

  /** With a note of the last record before the position, for `TailCheck`. */
  private commitOf(partition: number, position: number) {
    const chunk = this.heldChunks.find((one) => one.partition === partition && one.taken > 0)!;
    const offset = endOf(chunk, position);
    // Records behind it may have been handed out, too, and were not accepted.
    const last = chunk.records.findLast((record) => record.position < position);
    const metadata = last && !this.areNotesRefused ? noteText(last, offset, chunk.epoch) : undefined;
    return { partition, offset: String(offset), ...(metadata !== undefined && { metadata }) };
  }

  /** Whether the brokers refused the commit for its notes alone, so that it is made without them. */
  private dropsNotes(error: unknown): boolean {
    if (this.areNotesRefused || faultType(error) !== NOTE_REFUSED) return false;
    this.areNotesRefused = true;
    const { topic, group, lines } = this.options;
    lines.warn({ topic, group }, NOTE_REFUSED_TEXT);
    return true;
  }

  private resolveCommitted(next: ReadonlyMap<number, number>): void {
    const { progress } = this.options;
    for (const chunk of this.heldChunks) {
      const position = next.get(chunk.partition);
      if (position !== undefined) progress.reached(chunk.partition, endOf(chunk, position));
    }
    this.heldChunks = this.heldChunks.filter(({ partition, records, payload, done }) => {
      const position = next.get(partition);
      if (position === undefined) return true;
      payload.resolveOffset(String(position - 1));
      if (position <= records.at(-1)!.position) return true;
      done();
      return false;
    });
    progress.notify();
  }
}

/** Where to go on: behind everything that was fetched, once its last record is done. */
function endOf({ records, end }: HeldChunk, position: number): number {
  return position > records.at(-1)!.position ? Math.max(position, end) : position;
}
