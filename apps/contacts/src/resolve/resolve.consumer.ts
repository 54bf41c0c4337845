import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, type Received } from '@lettermill/events';
import { EventPublisher, type EventBatch } from '@lettermill/log';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { ReachKeeper } from '../reach/reach.keeper';
import { ReachWatch } from '../reach/reach.watch';
import { ContactResolver } from './contact.resolver';
import { eventOf, type RequestedEvent } from './resolve.events';
import { SharedContents } from './shared.contents';

const isRequested = (event: Received): event is RequestedEvent => event.type === 'MessageRequested';

/** MessageRequested → ContactUpserted, MessageFailed or MessageSuppressed. */
@Controller()
export class ResolveConsumer {
  constructor(
    private readonly shared: SharedContents,
    private readonly resolver: ContactResolver,
    private readonly publisher: EventPublisher,
    private readonly reach: ReachKeeper,
    private readonly watch: ReachWatch,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  @EventPattern(TOPICS.messageRequested)
  async on(batch: EventBatch): Promise<void> {
    await this.watch.before(batch.events);
    const events = batch.events.filter(isRequested);
    const shared = await this.shared.of(events.map(({ data }) => data));
    await batch.heartbeat();
    const resolutions = await this.resolver.resolve(
      events.map(({ data, partition, position }, at) => ({ data, partition, position, shared: shared[at] })),
    );
    await batch.heartbeat();
    const time = new Date(this.now()).toISOString();
    await this.publisher.publish(events.map((event, at) => eventOf(event, resolutions[at]!, time)));
    this.reach.note(batch.events);
  }
}
