import { Inject, Injectable, Logger } from '@nestjs/common';
import { Batcher, isRetryable, pause, retryWhileUnavailable, waitAtMost } from '@lettermill/concurrency';
import type { AnyEvent } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import {
  DELIVERY_STORE,
  type DeliveryOutcomes,
  type Order,
  type Settlement,
  type StoredEvent,
} from '../deliveries/deliveries.store';
import type { Delivery } from '../lifecycle/delivery';

/** Events beyond this many waiting for the log are left to the store, which holds them anyway. */
const MAX_WAITING_EVENTS = 2_000;
const BATCH_SIZE = 500;
const FORGET_AFTER_MS = 200;
/** The first event of a busy time is announced at once; the next ones gather for this long, so that one append carries many. */
const GATHER_MS = 40;
/** Pause after a fault that may not pass by itself. */
export const DEFECT_RETRY_DELAY_MS = 5_000;

type Submission = Settlement & { submitted: () => void };

/** An order with the event that announces it. */
export interface AnnouncedOrder extends Omit<Order, 'event'> {
  event: AnyEvent;
}

const storedForm = (event: AnyEvent): StoredEvent => ({ id: event.id, json: JSON.stringify(event) });

/**
 * Outcomes become durable in the store first, with their events beside them; then the events go to the log; then the store forgets them.
 * Wherever a process dies between two steps, each outcome is announced at least once, always under the same id.
 */
@Injectable()
export class Outcomes {
  private readonly logger = new Logger('dispatch');
  private readonly records = new Batcher<Submission, boolean>((batch) => this.record(batch));
  private readonly announcements = new Batcher<AnyEvent, void>((batch) => this.publish(batch), { items: BATCH_SIZE });
  private readonly mentions = new Batcher<AnyEvent, void>((batch) => this.publishOnly(batch), { items: BATCH_SIZE });
  private waitingCount = 0;
  private announcedIds: string[] = [];
  private forgetTimer: NodeJS.Timeout | undefined;
  /** Set after the log was unavailable or had too much waiting: the store is read until no outcome is left in it. */
  private catchingUp: Promise<void> | undefined;
  private mayHaveMissed = false;
  /** Id of the outcome that was the oldest unannounced one at the last look. */
  private oldest: string | undefined;
  private readonly ending = new AbortController();

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryOutcomes,
    private readonly publisher: EventPublisher,
  ) {}

  /**
   * Records how a claim ended and retries while the store is unavailable; resolves to false if the claim no longer stands. `submitted` is
   * called when the record is on its way to the store: a claim made from then on reaches the store after it, and may share its commit.
   */
  async settle(
    settlement: Omit<Settlement, 'event'>,
    event: AnyEvent | null,
    submitted: () => void = () => undefined,
  ): Promise<boolean> {
    const entry = { ...settlement, event: event && storedForm(event), submitted };
    const recorded = await retryWhileUnavailable(() => this.records.add(entry), this.ending.signal);
    if (recorded && event) this.announce(event);
    return recorded;
  }

  /** Changes a delivery outside any attempt and records the event; resolves to false if the delivery is not as it was found. */
  async order(before: Delivery | null, next: Delivery, event: AnyEvent): Promise<boolean> {
    const [done] = await this.orderAll([{ before, next, event }]);
    return done!;
  }

  /** As `order`, with one write for all; resolves, per order, to whether it was carried out. */
  async orderAll(orders: AnnouncedOrder[]): Promise<boolean[]> {
    try {
      const done = await this.store.order(orders.map((order) => ({ ...order, event: storedForm(order.event) })));
      for (const [at, { event }] of orders.entries()) if (done[at]) this.announce(event);
      return done;
    } catch (error) {
      // They may have been carried out all the same, and nobody else would announce it.
      this.catchUp();
      throw error;
    }
  }

  /** Publishes an event that nobody waits for and that may be lost. */
  mention(event: AnyEvent): void {
    this.mentions.add(event).catch(() => undefined);
  }

  /** Announces, in the background, everything that was recorded and not yet announced. */
  catchUp(): void {
    this.mayHaveMissed = true;
    this.catchingUp ??= this.announceStored().finally(() => {
      this.catchingUp = undefined;
      // Requested after the last read but before this was cleared: nobody else would read again.
      if (this.mayHaveMissed && !this.ending.signal.aborted) this.catchUp();
    });
  }

  /**
   * Announces what was left by a process that may never start again. Called now and then: if the oldest unannounced outcome is still the
   * same as at the last call, nobody is announcing it.
   */
  async announceAbandoned(): Promise<void> {
    const [oldest] = await this.store.unannounced(1);
    if (oldest && oldest.id === this.oldest) this.catchUp();
    this.oldest = oldest?.id;
  }

  /** Waits up to `ms` for what is in progress; what is left is announced at the next start. */
  async close(ms: number): Promise<void> {
    const done = (async () => {
      await this.records.settled();
      await this.announcements.settled();
      await this.catchingUp;
      clearTimeout(this.forgetTimer);
      await this.forget();
    })();
    await waitAtMost(ms, done);
    this.ending.abort();
  }

  private record(batch: Submission[]): Promise<boolean[]> {
    const recording = this.store.record(batch);
    for (const { submitted } of batch) submitted();
    return recording;
  }

  private announce(event: AnyEvent): void {
    if (this.catchingUp || this.waitingCount >= MAX_WAITING_EVENTS) return this.catchUp();
    this.waitingCount += 1;
    this.announcements
      .add(event)
      .catch(() => this.catchUp())
      .finally(() => (this.waitingCount -= 1));
  }

  private async publish(events: AnyEvent[]): Promise<void[]> {
    const [done] = await Promise.all([this.publishOnly(events), pause(GATHER_MS)]);
    this.announcedIds.push(...events.map(({ id }) => id));
    this.forgetTimer ??= setTimeout(() => void this.forget(), FORGET_AFTER_MS);
    return done;
  }

  private async publishOnly(events: AnyEvent[]): Promise<void[]> {
    await this.publisher.publish(events);
    return events.map(() => undefined);
  }

  /** An event that is not forgotten is announced once more, which is harmless. */
  private async forget(): Promise<void> {
    this.forgetTimer = undefined;
    const ids = this.announcedIds.splice(0);
    await this.store.forgetAnnounced(ids).catch(() => this.catchUp());
  }

  /** Takes as long as it must: nobody would ever learn of an outcome that is not announced. */
  private async announceStored(): Promise<void> {
    while (this.mayHaveMissed && !this.ending.signal.aborted) {
      // An outcome that is recorded after this line may be missed by the read below; recording it sets this again.
      this.mayHaveMissed = false;
      try {
        await retryWhileUnavailable(() => this.announceAll(), this.ending.signal);
      } catch (error) {
        this.mayHaveMissed = true;
        if (isRetryable(error))
          return this.logger.warn('some outcomes are not announced yet; the next start announces them');
        this.logger.error(error);
        await pause(DEFECT_RETRY_DELAY_MS, this.ending.signal);
      }
    }
  }

  private async announceAll(): Promise<void> {
    for (;;) {
      const stored = await this.store.unannounced(BATCH_SIZE);
      if (stored.length === 0) return;
      await this.publisher.publish(stored.map(({ json }) => JSON.parse(json) as AnyEvent));
      await this.store.forgetAnnounced(stored.map(({ id }) => id));
    }
  }
}
