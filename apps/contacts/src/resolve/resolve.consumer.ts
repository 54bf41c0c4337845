import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { TOPICS, type Received } from '@lettermill/events';
import { EventPublisher, type EventBatch } from '@lettermill/log';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { ReachKeeper } from '../reach/reach.keeper';
import { ReachWatch } from '../reach/reach.watch';
import { ContactResolver } from './contact.resolver';
import { resolvedRecord, type RequestedEvent } from './resolve.events';
import { SharedContents } from './shared.contents';
import { sharedPieces } from './shared.pieces';

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
    for (const events of sharedPieces(batch.events.filter(isRequested))) {
      await this.resolve(events);
      await batch.heartbeat();
    }
    this.reach.note(batch.events);
  }

  private async resolve(events: RequestedEvent[]): Promise<void> {
    const shared = await this.shared.of(events.map(({ data }) => data));
    const resolutions = await this.resolver.resolve(
      events.map(({ data, partition, position }, at) => ({ data, partition, position, shared: shared[at] })),
    );
    const time = new Date(this.now()).toISOString();
    await this.publisher.append(events.map((event, at) => resolvedRecord(event, resolutions[at]!, time)));
  }
}
