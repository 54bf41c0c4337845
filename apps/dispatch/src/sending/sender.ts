import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CLOCK, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  type ClaimedDelivery,
  type DeliveryStore,
  type DueDelivery,
  type PriorityRank,
} from '../deliveries/deliveries.store';
import { SmtpPool } from '../smtp/smtp.pool';
import { Attempts } from './attempts';
import { elsewhere } from './elsewhere';
import { Leases, RENEW_MS } from './leases';
import { Outcomes } from './outcomes';
import { isAway, whileAway, within } from './patience';
import { claimsTried, DEEPEST, gauge } from './sending.metrics';

/** This much of the queue is in memory, and no more: keys, in the order in which they go. */
const WINDOW = 256;
/** What others put into the queue is noticed within this time, even when nothing else happens. */
const LONGEST_SLEEP_MS = 30_000;
const AWAY_MS = 1_000;
const BROKEN_MS = 5_000;
/** On the way out, the answers to mails that were handed over are waited for this long (design 5). */
const ANSWER_MS = 8_000;
const ANNOUNCE_MS = 1_000;

/**
 * Keeps as many attempts under way as the next hop has room for, and claims no more than can begin at once: what a crash leaves
 * unknown is bounded by the connections. Woken by new mail, by time, and by room.
 */
@Injectable()
export class Sender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('dispatch');
  private readonly leaving = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  /** Claims whose outcome is not yet on its way to the store. */
  private readonly open = new Set<ClaimedDelivery>();
  private window: DueDelivery[] = [];
  /** Others took what was claimed: the next window begins elsewhere. */
  private shared = false;
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
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  onApplicationBootstrap(): void {
    gauge({ running: () => this.underWay.size, waiting: () => this.store.waiting(DEEPEST) });
    this.pool.onRoom(() => this.wake());
    this.keeping = setInterval(() => void this.keep(), RENEW_MS);
    this.keeping.unref();
    this.begin().catch((error: unknown) => this.complain(error));
  }

  /** New mail is in the store; `rank` is the first of its priorities. */
  inserted(rank: PriorityRank): void {
    if ((this.window.at(-1)?.priority ?? 0) > rank) this.window = [];
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
        while (this.room() > 0 && (await this.sendSome()));
      } catch (error) {
        this.complain(error);
        this.sleepFor(isAway(error) ? AWAY_MS : BROKEN_MS);
      }
    }
  }

  private room(): number {
    return this.leaving.signal.aborted ? 0 : this.pool.capacity() - this.open.size;
  }

  /** False when nothing is due. */
  private async sendSome(): Promise<boolean> {
    if (this.window.length === 0) await this.look();
    if (this.window.length === 0) {
      const next = await this.store.nextDue();
      this.sleepFor(next === null ? LONGEST_SLEEP_MS : next - this.now());
      return false;
    }
    const keys = this.window.splice(0, this.room());
    const claimed = await this.leases.claim(keys);
    claimsTried(claimed.length, keys.length - claimed.length);
    for (const one of claimed) this.lead(one);
    if (claimed.length < keys.length) [this.shared, this.window] = [true, []];
    return true;
  }

  private async look(): Promise<void> {
    const due = await this.store.due(WINDOW, this.now());
    this.window = this.shared ? elsewhere(due, Math.random()) : due;
    this.shared = false;
  }

  private lead(claimed: ClaimedDelivery): void {
    this.open.add(claimed);
    const free = () => this.open.delete(claimed) && this.wake();
    const work = this.leases
      .hold(claimed, (signal) => {
        // Claimed while we were told to leave: given back by the attempt itself.
        if (this.leaving.signal.aborted) this.leases.abortAll();
        return this.attempts.run(claimed, signal, free);
      })
      .catch((error: unknown) => this.complain(error))
      .finally(() => {
        this.underWay.delete(work);
        this.open.delete(claimed);
        this.wake();
      });
    this.underWay.add(work);
  }

  private sleepFor(ms: number): void {
    clearTimeout(this.sleep);
    if (this.leaving.signal.aborted) return;
    this.sleep = setTimeout(() => this.wake(), Math.min(Math.max(ms, 1), LONGEST_SLEEP_MS));
    this.sleep.unref();
  }

  /** Renews what we hold and takes over what others let go. */
  private async keep(): Promise<void> {
    try {
      await this.leases.renew();
      if (this.started) await this.takeOver(false);
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
      this.wake();
    }
  }

  private async quiet(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }
}
