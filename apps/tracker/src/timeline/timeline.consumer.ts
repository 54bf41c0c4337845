import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, topicsOf } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { TimelineWriter } from './timeline.writer';

/** Writes every event about a message into its timeline, in whatever order the topics arrive. */
@Controller()
export class TimelineConsumer {
  constructor(private readonly timeline: TimelineWriter) {}

  @EventPattern(topicsOf(TOPICS.messageRequested))
  requested(batch: EventBatch): Promise<void> {
    return this.timeline.write(batch.events);
  }

  @EventPattern(topicsOf(TOPICS.contactUpserted))
  resolved(batch: EventBatch): Promise<void> {
    return this.timeline.write(batch.events);
  }

  @EventPattern(TOPICS.messageQueued)
  queued(batch: EventBatch): Promise<void> {
    return this.timeline.write(batch.events);
  }

  @EventPattern(TOPICS.messageOutcome)
  outcome(batch: EventBatch): Promise<void> {
    return this.timeline.write(batch.events);
  }
}
