import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, CONFIG, DAY_MS, HourlySweeper, type Clock, type Config } from '@lettermill/runtime';
import { longestOf } from './backoff';
import { DELIVERY_STORE, type DeliveryRecords } from './deliveries.store';

/** What bounced or failed can be retried for so long at least. */
const CONTENTS_MS = 7 * DAY_MS;
/** A delivery is known for longer than its record can be on the log: a record read again finds it ended. */
const SLACK_MS = 3 * DAY_MS;
const AT_ONCE = 500;

/** Forgets contents and deliveries that nobody can ask for any more. */
@Injectable()
export class DeliveriesSweeper extends HourlySweeper {
  constructor(
    @Inject(DELIVERY_STORE) private readonly store: DeliveryRecords,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) now: Clock,
  ) {
    super('dispatch', now);
  }

  protected step(now: number): Promise<boolean> {
    const { retentionDays, retryDelays } = this.config;
    // An id tells when a message was accepted: the last of its retries may have ended it so much later.
    const contents = now - CONTENTS_MS - longestOf(retryDelays);
    const deliveries = retentionDays === 0 ? null : Math.min(now - retentionDays * DAY_MS - SLACK_MS, contents);
    return this.store.sweep({ contents, deliveries }, AT_ONCE);
  }
}
