import { Inject, Injectable, Logger } from '@nestjs/common';
import { derivedId, timeOfId, type Event } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, dataCutoff, type Clock } from '@lettermill/runtime';
import { DELIVERY_STORE, type DeliveryRecords } from '../deliveries/deliveries.store';

type Queued = Event<'MessageQueued'>;

const DETAIL =
  'It was accepted longer ago than deliveries are remembered, so it may have been sent before. It is not sent now.';

/** The default of RETENTION_DAYS: an installation that keeps more now may have kept less when it forgot the delivery. */
const DEFAULT_RETENTION_DAYS = 30;

const keyOf = ({ data }: Queued) => ({ accountId: data.account_id, messageId: data.message_id });

/**
 * Refuses mails that were or may have been sent and whose deliveries are no longer stored. Their records come when a consumer group that
 * lost its positions reads the log from the beginning: the last record of each contact is kept for ever.
 */
@Injectable()
export class OldMailFilter {
  private readonly logger = new Logger('dispatch');

  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryRecords,
    private readonly publisher: EventPublisher,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** Resolves to the other events, in order, once it is on the log that the old ones are not sent. Rejects if the store or the log does. */
  async refuseOld(events: Queued[]): Promise<Queued[]> {
    const since = this.rememberedSince();
    const isOld = ({ data }: Queued) => timeOfId(data.message_id) < since;
    const old = events.filter(isOld);
    if (old.length === 0) return events;
    await this.refuse(old);
    return events.filter((event) => !isOld(event));
  }

  /** All deliveries of messages accepted since this time are still stored. */
  private rememberedSince(): number {
    const { retryDelays, retentionDays } = this.config;
    const days = Math.min(retentionDays || DEFAULT_RETENTION_DAYS, DEFAULT_RETENTION_DAYS);
    return dataCutoff(this.now(), { retryDelays, retentionDays: days })!;
  }

  private async refuse(old: Queued[]): Promise<void> {
    const known = new Set((await this.store.find(old.map(keyOf))).map(({ messageId }) => messageId));
    const refused = old.filter(({ data }) => !known.has(data.message_id));
    if (refused.length === 0) return;
    this.logger.warn(`mails older than the records of deliveries are not sent: ${refused.length}`);
    await this.publisher.publish(refused.map((event) => this.failedEvent(event)));
  }

  private failedEvent({ data: { account_id, message_id }, traceparent }: Queued): Event<'MessageFailed'> {
    return {
      id: derivedId(message_id, 'too-old'),
      type: 'MessageFailed',
      source: 'dispatch',
      key: message_id,
      time: new Date(this.now()).toISOString(),
      ...(traceparent && { traceparent }),
      data: { account_id, message_id, reason: { code: 'too_old', detail: DETAIL } },
    };
  }
}
