import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  DELIVERY_STORE,
  PRIORITIES,
  type ClaimedDelivery,
  type DeliveryStore,
  type DueDelivery,
  type PriorityRank,
} from '../deliveries/deliveries.store';
import { SmtpPool } from '../smtp/smtp.pool';
import { Attempts } from './attempts';
import { DueQueue, WINDOW, type Admitted } from './due.queue';
import { Leases, RENEW_MS } from './leases';
import { Outcomes } from './outcomes';
import { isAway, whileAway, within } from './patience';
import { claimsTried, DEEPEST, gauge } from './sending.metrics';
import { Turns } from './turns';

/** Connections beside the others that messages of high priority may use: they wait for no bulk. */
const FOR_HIGH = 2;
/** While the hop is quick, so many claims for each connection wait for it. More would be no faster, and high priority waits for the larger commits. */
const AHEAD = 1;
/** While all connections are busy, it is looked at whether they are stuck. */
const LOOK_MS = 1_000;
/** What others put into the queue is noticed within this time, even when nothing else happens. */
const LONGEST_SLEEP_MS = 30_000;
const AWAY_MS = 1_000;
const BROKEN_MS = 5_000;
/** On the way out, the answers to mails that were handed over are waited for this long (design 5). */
const ANSWER_MS = 8_000;
const ANNOUNCE_MS = 1_000;

/**
 * Keeps as many attempts under way as the next hop has room for, and claims no more than begin at once or, of a long queue to a quick
 * hop, very soon: what a crash leaves unknown is bounded by the connections. Woken by new mail, by time, and by room.
 */
@Injectable()
export class Sender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('dispatch');
  private readonly leaving = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  /** Claims whose outcome is not yet on its way to the store. */
  private readonly open = new Set<ClaimedDelivery>();
  private readonly turns = new Turns((rank) => this.most(rank));
  /** Admitted, and about to be claimed. */
  private beginning = 0;
  private started = false;
  private pumping = false;
  private wakened = false;
  private sleep: NodeJS.Timeout | undefined;
  private keeping: NodeJS.Timeout | undefined;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryStore,
    private readonly leases: Leases,
    private readonly attempts: Attempts,
    private readonly outcomes: Outcomes,
    private readonly pool: SmtpPool,
    private readonly queue: DueQueue,
  ) {}

  onApplicationBootstrap(): void {
    gauge({ running: () => this.underWay.size, waiting: () => this.store.waiting(DEEPEST) });
    this.pool.onRoom(() => {
      this.turns.proceed();
      this.wake();
    });
    this.keeping = setInterval(() => void this.keep(), RENEW_MS);
    this.keeping.unref();
    this.begin().catch((error: unknown) => this.complain(error));
  }

  /** New mail is in the store. What is urgent begins at once, as far as there is room; the rest is found in the queue. */
  inserted(deliveries: DueDelivery[]): void {
    const hurried = new Set(this.hurry(deliveries.filter(({ priority }) => priority === PRIORITIES.high)));
    const left = deliveries.filter(({ messageId }) => !hurried.has(messageId));
    if (left.length > 0) this.changed(Math.min(...left.map(({ priority }) => priority)) as PriorityRank);
  }

  /** Something of this rank is due that was not, or sooner than was known. */
  changed(rank: PriorityRank): void {
    this.queue.inserted(rank);
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    clearTimeout(this.sleep);
    clearInterval(this.keeping);
    // Before the final dot nothing can have been delivered: those go back to the queue, and count as no attempt.
    this.leases.abortAll();
    await within(ANSWER_MS, this.quiet());
    this.pool.close();
    await within(ANNOUNCE_MS, this.quiet());
    await this.outcomes.close(ANNOUNCE_MS);
  }

  /** First what a process before us left: outcomes that nobody heard of, attempts that nobody knows the end of. */
  private async begin(): Promise<void> {
    this.outcomes.catchUp();
    await whileAway(() => this.takeOver(true), this.leaving.signal);
    await whileAway(() => this.queue.findLanes(), this.leaving.signal);
    this.started = true;
    this.wake();
  }

  private wake(): void {
    this.wakened = true;
    if (this.pumping || !this.started || this.leaving.signal.aborted) return;
    this.pumping = true;
    // A turn later: those who became free together are claimed for together.
    queueMicrotask(() => {
      void this.pump().finally(() => {
        this.pumping = false;
        if (this.wakened) this.wake();
      });
    });
  }

  private async pump(): Promise<void> {
    while (this.wakened && !this.leaving.signal.aborted) {
      this.wakened = false;
      try {
        while (this.room() + this.extra() > 0 && (await this.sendSome()));
        if (this.room() <= 0) this.sleepFor(LOOK_MS);
      } catch (error) {
        this.complain(error);
        this.sleepFor(isAway(error) ? AWAY_MS : BROKEN_MS);
      }
    }
  }

  /** How many more may be claimed, less than none where high priority has more than that. */
  private room(): number {
    const capacity = this.capacity();
    if (capacity === 0) return 0;
    const beside = this.beside(capacity);
    this.pool.widen(beside, FOR_HIGH);
    const ahead = capacity > 1 && this.queue.quick() ? AHEAD * capacity : 0;
    return capacity + beside + ahead - this.open.size - this.beginning;
  }

  private extra(): number {
    return this.capacity() <= 1 ? 0 : FOR_HIGH;
  }

  private capacity(): number {
    return this.leaving.signal.aborted ? 0 : this.pool.capacity();
  }

  /** Those that stand in the way of others do not count. */
  private beside(capacity: number): number {
    return capacity > 1 ? Math.min(this.queue.stuck(), capacity) : 0;
  }

  /** How many of that priority may speak to the hop at once. */
  private most(rank: PriorityRank): number {
    const capacity = this.capacity();
    if (capacity <= 1) return capacity;
    // Behind each mail that goes another may ride.
    const riding = this.queue.quick() ? capacity : 0;
    return capacity + this.beside(capacity) + riding + (rank === PRIORITIES.high ? FOR_HIGH : 0);
  }

  /** False when nothing may go now. */
  private async sendSome(): Promise<boolean> {
    const free = this.room();
    const room = Math.max(0, free);
    const admitted = await this.queue.take(room, Math.max(0, free + this.extra()) - room);
    if (admitted.length === 0) {
      // Without room it is the end of an attempt that wakes it: the store need not be asked for a time.
      if (room > 0) this.sleepFor((await this.queue.rest()) ?? LONGEST_SLEEP_MS);
      return false;
    }
    if ((await this.claim(admitted)) < admitted.length) this.queue.contended();
    return true;
  }

  /** Claims without waiting for what the pump does; answers the ids of those that it is done for. */
  private hurry(urgent: DueDelivery[]): string[] {
    if (!this.started || urgent.length === 0) return [];
    const admitted = this.queue.admit(urgent, Math.max(0, this.room() + this.extra()));
    if (admitted.length === 0) return [];
    this.claim(admitted)
      .catch((error: unknown) => {
        this.complain(error);
        this.queue.inserted(PRIORITIES.high);
      })
      .finally(() => this.wake());
    return admitted.map(({ messageId }) => messageId);
  }

  /** Begins those that nobody else took; answers how many. */
  private async claim(admitted: Admitted[]): Promise<number> {
    const byId = new Map(admitted.map((one) => [one.messageId, one]));
    this.beginning += admitted.length;
    try {
      const claimed = await this.leases.claim(admitted);
      claimsTried(claimed.length, admitted.length - claimed.length);
      for (const one of claimed) {
        this.lead(one, byId.get(one.messageId)!);
        byId.delete(one.messageId);
      }
      return claimed.length;
    } finally {
      this.beginning -= admitted.length;
      for (const one of byId.values()) this.queue.leave(one, false);
    }
  }

  private lead(claimed: ClaimedDelivery, admitted: Admitted): void {
    this.open.add(claimed);
    let again: number | null = 0;
    const leave = (dueAt: number | null) => {
      if (!this.open.delete(claimed)) return;
      again = dueAt;
      this.queue.leave(admitted, !this.leaving.signal.aborted);
      this.wake();
    };
    const work = this.leases
      .hold(claimed, (signal) => this.inTurn(claimed, admitted, signal, leave))
      .catch((error: unknown) => this.complain(error))
      .finally(() => {
        this.underWay.delete(work);
        leave(again);
        if (again !== null) this.queue.putOff(again);
        this.wake();
      });
    this.underWay.add(work);
  }

  private async inTurn(
    claimed: ClaimedDelivery,
    { priority }: Admitted,
    signal: AbortSignal,
    leave: (dueAt: number | null) => void,
  ): Promise<void> {
    // It may have been claimed while we were told to leave.
    const turn = this.leaving.signal.aborted ? 'back' : await this.turns.take(priority, signal);
    if (turn === 'back') return this.attempts.giveBack(claimed, leave);
    let speaking = true;
    const spoken = () => {
      if (speaking) this.turns.end();
      speaking = false;
    };
    await this.attempts.run(claimed, signal, { spoken, submitted: leave }).finally(spoken);
  }

  private sleepFor(ms: number): void {
    clearTimeout(this.sleep);
    if (this.leaving.signal.aborted) return;
    this.sleep = setTimeout(() => this.look(), Math.min(Math.max(ms, 1), LONGEST_SLEEP_MS));
    this.sleep.unref();
  }

  private look(): void {
    this.queue.stale();
    this.wake();
  }

  /** Renews what we hold and takes over what others let go. */
  private async keep(): Promise<void> {
    try {
      await this.leases.renew();
      if (this.started) {
        await this.takeOver(false);
        await this.queue.findLanes();
      }
    } catch (error) {
      this.complain(error);
    }
  }

  private complain(error: unknown): void {
    if (isAway(error)) this.logger.warn(`the store is away: ${(error as Error).message}`);
    else this.logger.error(error);
  }

  private async takeOver(own: boolean): Promise<void> {
    for (;;) {
      const lost = await this.leases.takeOver(own, WINDOW);
      if (lost.length === 0) return;
      await Promise.all(lost.map((one) => this.attempts.lost(one)));
      this.queue.stale();
      this.wake();
    }
  }

  private async quiet(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }
}
