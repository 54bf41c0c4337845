import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, type Event, type ReceivedEvent } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { newDelivery } from '../deliveries/delivery.job';
import { Sender } from './sender';
import { OldMailFilter } from './old.mail.filter';

/** Takes rendered mails into the queue; a mail that is there already, or was sent, changes nothing. */
@Controller()
export class SendingConsumer {
  constructor(
    private readonly sender: Sender,
    private readonly oldMails: OldMailFilter,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  @EventPattern(TOPICS.messageQueued)
  async on(batch: EventBatch): Promise<void> {
    const events = await this.oldMails.refuseOld(batch.events as ReceivedEvent<Event<'MessageQueued'>>[]);
    const now = this.now();
    if (events.length > 0) await this.sender.enqueue(events.map((event) => newDelivery(event, now)));
  }
}
