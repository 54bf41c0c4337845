import { Inject, Injectable } from '@nestjs/common';
import { encodeEvent, type AnyEvent, type Event } from '@lettermill/events';
import { EVENT_LOG, type EventLog, type NewRecord } from '../log.port';

/** Puts events on the log. Resolves when they are durable; several at once are one batch. */
@Injectable()
export class EventPublisher {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  publish(events: AnyEvent[]): Promise<void> {
    return this.append(events.map((event) => encodeEvent(event as Event)));
  }

  /** Appends records that are already encoded. */
  append(records: NewRecord[]): Promise<void> {
    return records.length === 0 ? Promise.resolve() : this.log.append(records);
  }
}
