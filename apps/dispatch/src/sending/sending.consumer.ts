import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { newDelivery } from '../deliveries/delivery.job';
import { Sender } from './sender';

/** Takes rendered mails into the queue; one that is there already, or was sent, changes nothing. */
@Controller()
export class SendingConsumer {
  constructor(
    private readonly sender: Sender,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  @EventPattern(TOPICS.messageQueued)
  async on(batch: EventBatch): Promise<void> {
    const now = this.now();
    const deliveries = batch.events.flatMap((event) =>
      event.type === 'MessageQueued' ? [newDelivery(event, now)] : [],
    );
    if (deliveries.length > 0) await this.sender.take(deliveries);
  }
}
