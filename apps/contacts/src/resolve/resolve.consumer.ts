import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { lessUrgentTopics, TOPICS, topicsOf } from '@lettermill/events';
import { EventPublisher, type EventBatch } from '@lettermill/log';
import { CAUGHT_UP, type CaughtUp } from '@lettermill/runtime';
import { PositionsKeeper } from '../positions/positions.keeper';
import { PositionsWatch } from '../positions/positions.watch';
import type { RequestedEvent } from './resolve.events';
import { ResolvedRecords } from './resolved.records';
import { splitBySharedSize } from './shared.pieces';

/**
 * How long urgent messages wait for less urgent ones: a contact's messages stay in order, unless many are waiting to be overtaken (ADR 20).
 */
const MAX_ORDER_WAIT_MS = 100;

/**
 * MessageRequested → ContactUpserted, or (ContactChanged and) MessageFailed or MessageSuppressed, as the first record of a message has it;
 * never from a log that is older than what was applied.
 */
@Controller()
export class ResolveConsumer {
  constructor(
    private readonly resolved: ResolvedRecords,
    private readonly publisher: EventPublisher,
    private readonly positions: PositionsKeeper,
    private readonly watch: PositionsWatch,
    @Inject(CAUGHT_UP) private readonly caughtUp: CaughtUp,
  ) {}

  @EventPattern(topicsOf(TOPICS.messageRequested))
  async on(batch: EventBatch): Promise<void> {
    await this.caughtUp(lessUrgentTopics(TOPICS.messageRequested, batch.topic), MAX_ORDER_WAIT_MS);
    await this.watch.checkBefore(batch.events);
    for (const events of splitBySharedSize(batch.events as RequestedEvent[])) {
      for await (const records of this.resolved.portionsOf(events)) {
        await this.publisher.append(records);
        await batch.heartbeat();
      }
    }
    this.positions.markApplied(batch.events);
  }
}
