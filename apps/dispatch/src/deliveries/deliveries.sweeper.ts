import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '@lettermill/config';
import { CLOCK, CONFIG, HourlySweeper, dataCutoff, contentCutoff, type Clock } from '@lettermill/runtime';
import { DELIVERY_STORE, type DeliveryRecords } from './deliveries.store';

const BATCH_SIZE = 500;

/** Deletes contents and deliveries that nobody can ask for any more. */
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
    const contents = contentCutoff(now, this.config);
    // A delivery is kept for longer than its record can be on the log: a record read again finds the delivery ended.
    const deliveries = dataCutoff(now, this.config);
    return this.store.sweep({ contents, deliveries }, BATCH_SIZE);
  }
}
