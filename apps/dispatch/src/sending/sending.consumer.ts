import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, type Event, type Received } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { newDelivery } from '../deliveries/delivery.job';
import { Sender } from './sender';
import { TooOld } from './too.old';

/** Takes rendered mails into the queue; a mail that is there already, or was sent, changes nothing. */
@Controller()
export class SendingConsumer {
  constructor(
    private readonly sender: Sender,
    private readonly tooOld: TooOld,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  @EventPattern(TOPICS.messageQueued)
  async on(batch: EventBatch): Promise<void> {
    const events = await this.tooOld.without(batch.events as Received<Event<'MessageQueued'>>[]);
    const now = this.now();
    if (events.length > 0) await this.sender.take(events.map((event) => newDelivery(event, now)));
  }
}
