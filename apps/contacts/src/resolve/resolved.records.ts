import { Inject, Injectable } from '@nestjs/common';
import type { RawRecord } from '@lettermill/events';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { placeOf } from '../positions/record.place';
import { ContactResolver } from './contact.resolver';
import { resolvedRecords, type RequestedEvent } from './resolve.events';
import { SharedContents } from './shared.contents';

/** The events for messages, published once their contacts are resolved and saved. */
@Injectable()
export class ResolvedRecords {
  constructor(
    private readonly shared: SharedContents,
    private readonly resolver: ContactResolver,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /**
   * The records for each event, in order; in one portion, or in several if the profiles are too large to be in memory at once. The contacts
   * of a portion are saved before it is yielded. Rejects with `StoreUnavailable`.
   */
  async *portionsOf(events: RequestedEvent[]): AsyncGenerator<RawRecord[]> {
    const records = await this.singlePortion(events);
    if (records) return yield records;
    const middle = events.length >> 1;
    yield* this.portionsOf(events.slice(0, middle));
    yield* this.portionsOf(events.slice(middle));
  }

  private async singlePortion(events: RequestedEvent[]): Promise<RawRecord[] | undefined> {
    const shared = await this.shared.load(events.map(({ data }) => data));
    const resolutions = await this.resolver.resolve(
      events.map((event, at) => ({
        data: event.data,
        place: placeOf(event),
        position: event.position,
        shared: shared[at],
      })),
    );
    const time = new Date(this.now()).toISOString();
    return resolutions && events.flatMap((event, at) => resolvedRecords(event, resolutions[at]!, time));
  }
}
