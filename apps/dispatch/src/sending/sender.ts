import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { isRetryable, pause } from '@lettermill/concurrency';
import {
  DELIVERY_STORE,
  type ClaimedDelivery,
  type DeliveryQueue,
  type NewDelivery,
  type PriorityRank,
} from '../deliveries/deliveries.store';
import { Attempts } from './attempts';
import { logFault } from './log.fault';
import { DueQueue, WINDOW_SIZE, type Admitted } from '../due/due.queue';
import { Leases, RENEW_INTERVAL_MS } from './leases';
import { DEFECT_RETRY_DELAY_MS, Outcomes } from './outcomes';
import { MAX_COUNTED_DEPTH, bindGauges } from './sending.metrics';
import { ActiveDeliveries } from './active.deliveries';

/**
 * The queue is read at least this often, because other processes give deliveries back or put them off; and while all connections are busy,
 * this is how often we check whether they are stuck.
 */
const POLL_INTERVAL_MS = 1_000;
const UNAVAILABLE_RETRY_DELAY_MS = 1_000;
const ANNOUNCE_TIMEOUT_MS = 1_000;

/**
 * Keeps as many attempts running as the next hop has room for. It claims only what begins at once or, when a long queue meets a quick hop,
 * very soon: the number of connections bounds what a crash leaves unknown. It is woken by new mail, by time, and when room becomes free.
 */
@Injectable()
export class Sender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('dispatch');
  private readonly leaving = new AbortController();
  private started = false;
  private pumping = false;
  private wakened = false;
  private sleepTimer: NodeJS.Timeout | undefined;
  private upkeepTimer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryQueue,
    private readonly leases: Leases,
    private readonly attempts: Attempts,
    private readonly outcomes: Outcomes,
    private readonly active: ActiveDeliveries,
    private readonly queue: DueQueue,
  ) {}

  onApplicationBootstrap(): void {
    bindGauges({
      running: () => this.active.size,
      waiting: () => this.store.countWaiting(MAX_COUNTED_DEPTH),
      overdueMs: () => this.queue.overdueMs(),
      learnedRate: () => this.queue.learnedRate(),
    });
    this.active.listen(() => this.wake());
    void this.recoverAndStart();
  }

  /** Stores new mail and, in the same write, claims what may be sent at once; the rest is found in the queue. Rejects if the store does. */
  async enqueue(deliveries: NewDelivery[]): Promise<void> {
    const admitted = this.admit(deliveries);
    if (admitted.length === 0) {
      if ((await this.store.insert(deliveries)) > 0) this.noteDue(mostUrgentOf(deliveries));
      return;
    }
    const going = new Set(admitted.map(({ messageId }) => messageId));
    const left = deliveries.filter(({ messageId }) => !going.has(messageId));
    try {
      await this.active.begin(admitted, async () => {
        const { added, claimed } = await this.leases.insertAndClaim(deliveries, admitted);
        if (added > 0 && left.length > 0) this.noteDue(mostUrgentOf(left));
        return claimed;
      });
    } catch (error) {
      // It is unknown which of them are in the store.
      this.noteDue(mostUrgentOf(deliveries));
      throw error;
    }
  }

  /** A delivery of this rank is due that was not before, or is due sooner than was known. */
  noteDue(rank: PriorityRank): void {
    this.queue.noteInserted(rank);
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    clearTimeout(this.sleepTimer);
    clearInterval(this.upkeepTimer);
    await this.active.close();
    await this.outcomes.close(ANNOUNCE_TIMEOUT_MS);
  }

  /** First deals with what an earlier process left: outcomes that were not announced, and attempts whose end nobody knows. */
  private async recoverAndStart(): Promise<void> {
    this.outcomes.catchUp();
    await this.retryUntilDone(() => this.recordLost(() => this.leases.takeOverOwn(WINDOW_SIZE)));
    await this.retryUntilDone(() => this.queue.findLanes());
    // The first look at the claims of others: the sooner it is, the shorter a life may be that takes over what earlier ones left.
    await this.retryUntilDone(() => this.takeOver());
    if (this.leaving.signal.aborted) return;
    // Not before that look: between two looks, every live process must have had the time to renew.
    this.upkeepTimer = setInterval(() => void this.runUpkeep(), RENEW_INTERVAL_MS);
    this.upkeepTimer.unref();
    this.started = true;
    this.wake();
    await this.retryUntilDone(() => this.queue.followClock());
    this.wake();
  }

  /** Retries until it succeeds or this process shuts down: nothing is sent before, so a passing fault must not end it. */
  private async retryUntilDone(done: () => Promise<void>): Promise<void> {
    const { signal } = this.leaving;
    while (!signal.aborted) {
      try {
        return await done();
      } catch (error) {
        this.report(error);
        await pause(pauseAfter(error), signal);
      }
    }
  }

  private admit(deliveries: NewDelivery[]): Admitted[] {
    if (!this.started) return [];
    return this.queue.admit(deliveries, this.active.room());
  }

  private wake(): void {
    this.wakened = true;
    if (this.pumping || !this.started || this.leaving.signal.aborted) return;
    this.pumping = true;
    // In a microtask, so that one claim fills all the room that became free at the same time.
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
        while (await this.sendSome());
        if (this.active.room().forAny === 0) this.sleepFor(POLL_INTERVAL_MS);
      } catch (error) {
        this.report(error);
        this.sleepFor(pauseAfter(error));
      }
    }
  }

  /** Resolves to false when nothing may be sent now. */
  private async sendSome(): Promise<boolean> {
    const room = this.active.room();
    if (room.forHigh === 0) return false;
    const admitted = await this.queue.take(room);
    if (admitted.length === 0) {
      // Without room, the end of an attempt wakes us: there is no need to ask the store for a time.
      if (room.forAny > 0)
        this.sleepFor(Math.min((await this.queue.untilNext()) ?? POLL_INTERVAL_MS, POLL_INTERVAL_MS));
      return false;
    }
    this.queue.noteContended(await this.active.begin(admitted, () => this.leases.claim(admitted)));
    return true;
  }

  private sleepFor(ms: number): void {
    clearTimeout(this.sleepTimer);
    if (this.leaving.signal.aborted) return;
    this.sleepTimer = setTimeout(() => this.wake(), Math.max(ms, 1));
    this.sleepTimer.unref();
  }

  /** Renews our claims, takes over expired ones and announces outcomes that others left; also picks up their changes to the lanes. */
  private async runUpkeep(): Promise<void> {
    try {
      await this.leases.renew();
      await this.takeOver();
      await this.outcomes.announceAbandoned();
      await this.queue.findLanes();
      await this.queue.followClock();
      this.queue.markStale();
      this.wake();
    } catch (error) {
      this.report(error);
    }
  }

  private takeOver(): Promise<void> {
    return this.recordLost(() => this.leases.takeOver(WINDOW_SIZE));
  }

  /** Ends the attempts of the claims that `takeOver` resolves to, until there are none left. */
  private async recordLost(takeOver: () => Promise<ClaimedDelivery[]>): Promise<void> {
    for (;;) {
      const lost = await takeOver();
      if (lost.length === 0) return;
      await Promise.all(lost.map((one) => this.attempts.recordLost(one)));
      this.queue.markStale();
      this.wake();
    }
  }

  /** A store that is closing while this process shuts down is no fault. */
  private report(error: unknown): void {
    if (!(this.leaving.signal.aborted && isRetryable(error))) logFault(this.logger, error);
  }
}

function pauseAfter(fault: unknown): number {
  return isRetryable(fault) ? UNAVAILABLE_RETRY_DELAY_MS : DEFECT_RETRY_DELAY_MS;
}

function mostUrgentOf(deliveries: NewDelivery[]): PriorityRank {
  return Math.min(...deliveries.map(({ priority }) => priority)) as PriorityRank;
}
