import { matchedEmail } from './address';
import type { CATALOG, EventData, EventType } from './catalog';
import type { Priority } from './parts';

/** A CloudEvents 1.0 event of ours. `key` decides the partition: events of one key stay in order. */
export interface Event<T extends EventType = EventType> {
  id: string;
  type: T;
  /** The service that wrote it: one of those that the catalogue names, as a service waits for the topics that it writes. */
  source: (typeof CATALOG)[T]['by'][number];
  /** RFC 3339. */
  time: string;
  key: string;
  traceparent?: string;
  /** Chooses the topic if its family has several; default `normal`. */
  priority?: Priority;
  data: EventData<T>;
}

/** One of the event types, told apart by `type`. */
export type AnyEvent = { [T in EventType]: Event<T> }[EventType];

/** An event as it lies on the log. */
export type ReceivedEvent<E extends AnyEvent = AnyEvent> = E & {
  topic: string;
  partition: number;
  position: number;
};

/** Account and contact key as one string: a partition key that keeps one contact's messages in order. */
export function contactPartitionKey(accountId: string, kind: string, value: string): string {
  return `${accountId}:${kind}:${kind === 'email' ? matchedEmail(value) : value}`;
}
