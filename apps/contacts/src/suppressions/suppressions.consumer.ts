import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { suppressionsOf } from './suppression';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from './suppressions.store';

/** Suppresses the addresses that hard bounces and complaints name. */
@Controller()
export class SuppressionsConsumer {
  constructor(@Inject(SUPPRESSIONS_STORE) private readonly suppressions: SuppressionsStore) {}

  @EventPattern(TOPICS.messageOutcome)
  async on(batch: EventBatch): Promise<void> {
    await this.suppressions.add(batch.events.flatMap(suppressionsOf));
  }
}
