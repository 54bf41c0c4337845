import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { isAway, pause } from '@lettermill/concurrency';
import {
  DELIVERY_STORE,
  type DeliveryQueue,
  type NewDelivery,
  type PriorityRank,
} from '../deliveries/deliveries.store';
import { Attempts } from './attempts';
import { complain } from './complain';
import { DueQueue, WINDOW, type Admitted } from '../due/due.queue';
import { Leases, RENEW_MS } from './leases';
import { Outcomes } from './outcomes';
import { DEEPEST, gauge } from './sending.metrics';
import { UnderWay } from './under.way';

/**
 * The queue is read at least this often, because other processes give deliveries back or put them off; and while all connections are busy,
 * this is how often we check whether they are stuck.
 */
const LOOK_MS = 1_000;
const AWAY_MS = 1_000;
const BROKEN_MS = 5_000;
const ANNOUNCE_MS = 1_000;

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
  private sleep: NodeJS.Timeout | undefined;
  private keeping: NodeJS.Timeout | undefined;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryQueue,
    private readonly leases: Leases,
    private readonly attempts: Attempts,
    private readonly outcomes: Outcomes,
    private readonly underWay: UnderWay,
    private readonly queue: DueQueue,
  ) {}

  onApplicationBootstrap(): void {
    gauge({ running: () => this.underWay.size, waiting: () => this.store.waiting(DEEPEST) });
    this.underWay.listen(() => this.wake());
    this.keeping = setInterval(() => void this.keep(), RENEW_MS);
    this.keeping.unref();
    void this.begin();
  }

  /** Stores new mail and, in the same write, claims what may be sent at once; the rest is found in the queue. Rejects if the store does. */
  async take(deliveries: NewDelivery[]): Promise<void> {
    const admitted = this.admit(deliveries);
    if (admitted.length === 0) {
      if ((await this.store.insert(deliveries)) > 0) this.changed(firstOf(deliveries));
      return;
    }
    const going = new Set(admitted.map(({ messageId }) => messageId));
    const left = deliveries.filter(({ messageId }) => !going.has(messageId));
    try {
      await this.underWay.begin(admitted, async () => {
        const { added, claimed } = await this.leases.insert(deliveries, admitted);
        if (added > 0 && left.length > 0) this.changed(firstOf(left));
        return claimed;
      });
    } catch (error) {
      // It is unknown which of them are in the store.
      this.changed(firstOf(deliveries));
      throw error;
    }
  }

  /** A delivery of this rank is due that was not before, or is due sooner than was known. */
  changed(rank: PriorityRank): void {
    this.queue.inserted(rank);
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    clearTimeout(this.sleep);
    clearInterval(this.keeping);
    await this.underWay.close();
    await this.outcomes.close(ANNOUNCE_MS);
  }

  /** First deals with what an earlier process left: outcomes that were not announced, and attempts whose end nobody knows. */
  private async begin(): Promise<void> {
    this.outcomes.catchUp();
    await this.until(() => this.takeOver(true));
    await this.until(() => this.queue.findLanes());
    if (this.leaving.signal.aborted) return;
    this.started = true;
    this.wake();
    await this.until(() => this.queue.followClock());
    this.wake();
  }

  /** Retries until it succeeds or this process shuts down: nothing is sent before, so a passing fault must not end it. */
  private async until(done: () => Promise<void>): Promise<void> {
    const { signal } = this.leaving;
    while (!signal.aborted) {
      try {
        return await done();
      } catch (error) {
        complain(this.logger, error);
        await pause(pauseAfter(error), signal);
      }
    }
  }

  private admit(deliveries: NewDelivery[]): Admitted[] {
    if (!this.started) return [];
    return this.queue.admit(deliveries, this.underWay.room());
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
        if (this.underWay.room().forAny === 0) this.sleepFor(LOOK_MS);
      } catch (error) {
        complain(this.logger, error);
        this.sleepFor(pauseAfter(error));
      }
    }
  }

  /** Resolves to false when nothing may be sent now. */
  private async sendSome(): Promise<boolean> {
    const room = this.underWay.room();
    if (room.forHigh === 0) return false;
    const admitted = await this.queue.take(room);
    if (admitted.length === 0) {
      // Without room, the end of an attempt wakes us: there is no need to ask the store for a time.
      if (room.forAny > 0) this.sleepFor(Math.min((await this.queue.untilNext()) ?? LOOK_MS, LOOK_MS));
      return false;
    }
    this.queue.contended(await this.underWay.begin(admitted, () => this.leases.claim(admitted)));
    return true;
  }

  private sleepFor(ms: number): void {
    clearTimeout(this.sleep);
    if (this.leaving.signal.aborted) return;
    this.sleep = setTimeout(() => this.wake(), Math.max(ms, 1));
    this.sleep.unref();
  }

  /** Renews our claims, takes over expired ones and announces outcomes that others left; also picks up their changes to the lanes. */
  private async keep(): Promise<void> {
    try {
      await this.leases.renew();
      if (this.started) {
        await this.takeOver(false);
        await this.outcomes.findLeft();
        await this.queue.findLanes();
        await this.queue.followClock();
        this.queue.stale();
        this.wake();
      }
    } catch (error) {
      complain(this.logger, error);
    }
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
}

function pauseAfter(fault: unknown): number {
  return isAway(fault) ? AWAY_MS : BROKEN_MS;
}

function firstOf(deliveries: NewDelivery[]): PriorityRank {
  return Math.min(...deliveries.map(({ priority }) => priority)) as PriorityRank;
}
