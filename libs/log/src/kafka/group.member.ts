import { pause, waitAtMost } from '@lettermill/concurrency';
import type { Consumer } from 'kafkajs';
import { Sleeper } from '../sleeper';
import { COMPRESSION_CODE, COMPRESSION_TEXT, isUnreadable } from './compression';
import { GroupHand, type HandOptions } from './group.hand';
import { faultType, type KafkaClients } from './kafka.client';
import { TailCheck, type TailSource } from './tail.check';

const HEARTBEAT_MS = 2_000;
/** How long the others wait for a member that handles a batch. One that was killed is waited for until its session is over. */
const REBALANCE_TIMEOUT_MS = 5 * 60_000;
/** Until the coordinator must have answered a member that joins. */
const JOIN_TIMEOUT_MS = REBALANCE_TIMEOUT_MS + 30_000;
/** A fetch that finds nothing waits this long, which is also the longest that leaving takes. Milliseconds. */
const FETCH_WAIT_MS = 500;
const POLL_INTERVAL_MS = 1_000;
const LEAVE_TIMEOUT_MS = 4_000;
const MIN_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
const MAX_FETCH_BYTES = 8 * 1024 * 1024;

export interface MemberOptions extends Omit<HandOptions, 'coordinatorGone' | 'tails'> {
  clients: KafkaClients;
  groupId: string;
  /** Partitions of the topic: kafkajs needs as many workers to hand over all of them at once. */
  partitions: number;
  /** Most bytes that are fetched of one partition at once; at least the size of the topic's largest batch. */
  partitionBytes: number;
  /** Rejects when the brokers do not answer. */
  check(): Promise<void>;
  /** Whether members of the group are waited for. Rejects when that cannot be told. */
  isRebalancing(): Promise<boolean>;
  tailSource: TailSource;
  /** Removes earlier members of this name from the group. */
  leaveBehind(use: string): Promise<void>;
  stuckAfterMs: number;
  sessionTimeoutMs: number;
}

/** One consumer of kafkajs, from joining to leaving. */
interface ConsumerLife {
  consumer: Consumer;
  hand: GroupHand;
  /** When it last fetched or had records in the handler, and when a coordinator last confirmed it. Milliseconds. */
  fetched: number;
  known: number;
  /** Only reading resets the pause: a member that is allowed to join but not to read joins at once, every time. */
  hasRead: boolean;
  running: Promise<void>;
}

/**
 * A member of a consumer group, for one topic. kafkajs' consumer is not trusted to recover by itself: one that crashes,
 * cannot join or shows no sign of life is abandoned and replaced, for as long as the member is open.
 */
export class GroupMember {
  private stopped = false;
  private life: ConsumerLife | undefined;
  private readonly sleeper = new Sleeper();
  private readonly ended: Promise<void>;

  constructor(private readonly options: MemberOptions) {
    this.ended = this.runUntilClosed();
  }

  async close(): Promise<void> {
    this.stopped = true;
    this.life?.hand.stop();
    this.sleeper.wake();
    await this.ended;
  }

  private async runUntilClosed(): Promise<void> {
    const { topic, group, lines, progress } = this.options;
    for (let backoffMs = MIN_BACKOFF_MS; !this.stopped; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      const life = (this.life = this.startConsumer());
      const why = await this.waitForEnd(life);
      await this.endConsumer(life);
      if (life.hasRead) backoffMs = MIN_BACKOFF_MS;
      if (this.stopped) break;
      const fields = { topic, group, why, pause: backoffMs };
      if (why === COMPRESSION_CODE) lines.error(fields, COMPRESSION_TEXT);
      else lines.warn(fields, 'a member of a consumer group is replaced');
      await this.sleeper.sleep(backoffMs);
    }
    progress.end();
  }

  private get consumerUse(): string {
    return `${this.options.group}.${this.options.topic}`;
  }

  private startConsumer(): ConsumerLife {
    const { clients, groupId, name, partitionBytes, sessionTimeoutMs } = this.options;
    const consumer = clients.consumer(this.consumerUse, {
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytesPerPartition: partitionBytes,
      maxBytes: Math.max(MAX_FETCH_BYTES, partitionBytes),
      metadataMaxAge: 60_000,
    });
    const life: ConsumerLife = {
      consumer,
      hand: this.handOf(consumer),
      fetched: performance.now(),
      known: performance.now(),
      hasRead: false,
      running: Promise.resolve(),
    };
    life.running = this.runConsumer(life, name, this.life !== undefined);
    return life;
  }

  private handOf(consumer: Consumer): GroupHand {
    const { clients, tailSource: source, name, progress } = this.options;
    const seek = (partition: number, position: number) => {
      consumer.seek({ topic: name, partition, offset: String(position) });
      hand.giveUp(partition);
      progress.reached(partition, position);
    };
    const tails = new TailCheck({ ...this.options, source, seek });
    const hand = new GroupHand({ ...this.options, coordinatorGone: () => clients.coordinatorGone(), tails });
    return hand;
  }

  private async runConsumer(life: ConsumerLife, topic: string, isReplacement: boolean): Promise<void> {
    const { consumer, hand } = life;
    consumer.on(consumer.events.FETCH, () => {
      life.fetched = performance.now();
      life.hasRead = true;
    });
    consumer.on(consumer.events.HEARTBEAT, () => void (life.known = performance.now()));
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      life.fetched = life.known = performance.now();
      hand.joined(payload.memberAssignment[topic] ?? []);
    });
    await consumer.connect();
    // This consumer was given up meanwhile: another one has its name by now.
    if (hand.stopping) return;
    // The consumer before could not leave if the brokers were unavailable: everybody would wait for its session to end.
    if (isReplacement) await this.options.leaveBehind(this.consumerUse);
    // The time that passed until the brokers were available is no sign of being stuck.
    life.fetched = life.known = performance.now();
    await consumer.subscribe({ topic, fromBeginning: true });
    if (hand.stopping) return;
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: this.options.partitions,
      eachBatch: (payload) => hand.take(payload),
    });
  }

  /** Resolves with the reason when the consumer cannot go on or the member is closed. */
  private async waitForEnd(life: ConsumerLife): Promise<string> {
    let why: string | undefined;
    life.consumer.on(life.consumer.events.CRASH, ({ payload }) => {
      why ??= errorNameOf(payload.error);
      this.sleeper.wake();
    });
    life.running.catch((error: unknown) => {
      why ??= errorNameOf(error as Error);
      this.sleeper.wake();
    });
    while (!this.stopped && why === undefined) {
      if (life.hand.busy) life.fetched = performance.now();
      const silentMs = performance.now() - Math.min(life.fetched, life.known);
      if (silentMs > this.options.stuckAfterMs && (await this.isStuck(silentMs))) why = 'stuck';
      else await this.sleeper.sleep(POLL_INTERVAL_MS);
    }
    return why ?? 'closed';
  }

  /** While the brokers do not answer, or have it wait for other members, silence is no fault of the consumer. */
  private async isStuck(silentMs: number): Promise<boolean> {
    const { check, isRebalancing } = this.options;
    const answers = await check().then(
      () => true,
      () => false,
    );
    if (!answers || silentMs > JOIN_TIMEOUT_MS) return answers;
    return !(await isRebalancing().catch(() => false));
  }

  /** Waits for the batch in the handler, however long it takes, and then for kafkajs, up to `LEAVE_TIMEOUT_MS` for each step. */
  private async endConsumer({ consumer, hand, running }: ConsumerLife): Promise<void> {
    hand.stop();
    while (hand.busy) await pause(5);
    // A consumer that is disconnected while it joins would go on unnoticed.
    await waitAtMost(LEAVE_TIMEOUT_MS, running);
    await waitAtMost(LEAVE_TIMEOUT_MS, consumer.disconnect());
    hand.abandon();
    running.then(
      () => consumer.disconnect().catch(() => {}),
      () => {},
    );
  }
}

/** The brokers' name of the error, else kafkajs' name. */
function errorNameOf(error: Error): string {
  if (isUnreadable(error)) return COMPRESSION_CODE;
  return faultType(error) ?? error.name;
}
