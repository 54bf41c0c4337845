import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, topicsOf } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { TimelineWriter } from './timeline.writer';

const TOPICS_ABOUT_MESSAGES = [
  ...topicsOf(TOPICS.messageRequested),
  ...topicsOf(TOPICS.contactUpserted),
  TOPICS.messageQueued,
  TOPICS.messageOutcome,
];

/** Writes every event about a message into its timeline, in whatever order the topics arrive. */
@Controller()
export class TimelineConsumer {
  constructor(private readonly timeline: TimelineWriter) {}

  @EventPattern(TOPICS_ABOUT_MESSAGES)
  on(batch: EventBatch): Promise<void> {
    return this.timeline.write(batch.events);
  }
}
