import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { isRetryable } from '@lettermill/concurrency';
import { CLOCK, type Clock } from '@lettermill/runtime';
import {
  DELIVERY_STORE,
  type DeliveryQueue,
  type DeliveryRecords,
  type StoredDelivery,
} from '../deliveries/deliveries.store';
import { jobOf } from '../deliveries/delivery.job';
import type { DeliveryTerms } from '../lifecycle/delivery';
import { deliveryEvent } from '../lifecycle/delivery.events';
import { decideExpired } from '../lifecycle/delivery.machine';
import { logFault } from './log.fault';
import { Outcomes, type AnnouncedOrder } from './outcomes';

export const EXPIRY_INTERVAL_MS = 15_000;
const BATCH_SIZE = 100;

/**
 * Ends deliveries whose time is over while they wait. Whoever claims one ends it, too; but while the next hop is away, or everything sent is
 * more urgent, nobody claims it, and whoever waits for its end would wait for as long.
 */
@Injectable()
export class Expiry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('dispatch');
  private timer: NodeJS.Timeout | undefined;
  private ending: Promise<void> | undefined;
  private leaving = false;

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: Pick<DeliveryQueue, 'expired'> & Pick<DeliveryRecords, 'find'>,
    private readonly outcomes: Outcomes,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.endExpired(), EXPIRY_INTERVAL_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.leaving = true;
    clearInterval(this.timer);
    await this.ending;
  }

  /** Ends all of them. A call while another is at work waits for that one. What fails is tried again by the next. */
  endExpired(): Promise<void> {
    return (this.ending ??= this.endAll()
      .catch((error: unknown) => this.report(error))
      .finally(() => (this.ending = undefined)));
  }

  private async endAll(): Promise<void> {
    while (!this.leaving) {
      const expired = await this.store.expired(BATCH_SIZE, this.now());
      if (expired.length === 0) return;
      const expiries = new Map(expired.map(({ messageId, expiresAt }) => [messageId, expiresAt]));
      const found = await this.store.find(expired);
      const ended = await this.outcomes.orderAll(found.map((one) => this.endOf(one, expiries.get(one.messageId)!)));
      // Others are changing them: the next call sees what is left.
      if (!ended.includes(true)) return;
    }
  }

  /** A store that is closing while this process shuts down is no fault. */
  private report(error: unknown): void {
    if (!(this.leaving && isRetryable(error))) logFault(this.logger, error);
  }

  private endOf(stored: StoredDelivery, expiresAt: number): AnnouncedOrder {
    const { messageId, attempts, traceparent } = stored;
    // It ends although its content may be unreadable.
    const terms: DeliveryTerms = jobOf(stored)?.terms ?? { expiresAt, onUncertain: 'retry', address: '' };
    const { next, outcome } = decideExpired(stored, terms);
    const frame = { messageId, attempt: attempts + 1, at: this.now(), traceparent };
    return { before: stored, next, event: deliveryEvent(frame, outcome!) };
  }
}
