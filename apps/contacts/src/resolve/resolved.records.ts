import { Inject, Injectable } from '@nestjs/common';
import type { RawRecord } from '@lettermill/events';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { placeOf } from '../reach/record.place';
import { ContactResolver } from './contact.resolver';
import { resolvedRecord, type RequestedEvent } from './resolve.events';
import { SharedContents } from './shared.contents';

/** What is to be said of messages, once their contacts are found and kept. */
@Injectable()
export class ResolvedRecords {
  constructor(
    private readonly shared: SharedContents,
    private readonly resolver: ContactResolver,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** One of each, in order. Rejects with `StoreUnavailable`. */
  async of(events: RequestedEvent[]): Promise<RawRecord[]> {
    const shared = await this.shared.of(events.map(({ data }) => data));
    const resolutions = await this.resolver.resolve(
      events.map((event, at) => ({
        ...{ data: event.data, place: placeOf(event), position: event.position },
        shared: shared[at],
      })),
    );
    const time = new Date(this.now()).toISOString();
    return events.map((event, at) => resolvedRecord(event, resolutions[at]!, time));
  }
}
