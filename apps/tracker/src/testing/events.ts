import {
  CATALOG,
  newId,
  type Attempt,
  type AttemptOutcome,
  type Contact,
  type CopiesLeft,
  type EventData,
  type EventType,
  type KnownContact,
  type MessageQueued,
  type MessageRequested,
  type ReceivedEvent,
} from '@lettermill/events';
import type { ReasonCode } from '@lettermill/problems';
import { factOf, withFacts, type Fact } from '../timeline/message.facts';

type MessageRetried = EventData<'MessageRetried'>;
/** What contacts adds to an event that ends a message. */
type Refused = { contact?: KnownContact };

export const START = Date.parse('2026-03-01T12:00:00Z');
export const instant = (second: number) => new Date(START + second * 1000).toISOString();
export const CAMPAIGN = { id: 'campaign0000000001', slug: 'welcome', version: 3 };
export const REQUEST_ID = '0190b0e0-0000-7000-8000-000000000000';

/** Ids of messages accepted at that second; the same second gives the same id. */
const ids = new Map<number, string>();
export function messageId(second: number): string {
  const id = ids.get(second) ?? newId(START + second * 1000);
  ids.set(second, id);
  return id;
}

let position = 0;

/** An event about a message, at a second after START. */
export function received<T extends EventType>(type: T, second: number, data: EventData<T>): ReceivedEvent {
  position += 1;
  return {
    id: `event-${position}`,
    type,
    source: CATALOG[type].by.at(-1),
    time: instant(second),
    key: 'k',
    data,
    topic: CATALOG[type].topic,
    partition: 0,
    position,
  } as unknown as ReceivedEvent;
}

export function attempt(number: number, second: number, outcome: AttemptOutcome): Attempt {
  const reply = outcome === 'unknown' ? null : { code: 250, enhanced: '2.0.0', text: 'ok' };
  return { number, at: instant(second), ended_at: instant(second + 1), next_hop: 'mx.x.org', outcome, reply };
}

const copiesLeft = (waiting: string[], retry: number | null): CopiesLeft => ({
  waiting,
  given_up: [],
  retry_at: retry === null ? null : instant(retry),
});

export const reason = (code: ReasonCode) => ({ code, detail: `because of ${code}` });

/** Events of one message; times are seconds after START. */
export function eventsOf(message_id: string, account_id = 'a') {
  const subject = { account_id, message_id };
  const requested = (second: number, more: Partial<MessageRequested> = {}) =>
    received('MessageRequested', second, {
      ...subject,
      request_id: REQUEST_ID,
      accepted_at: instant(second),
      campaign: CAMPAIGN,
      contact_key: { email: 'Ada@x.org' },
      ...more,
    });
  return {
    requested,
    /** With the event id that the gateway gives it, which is the same whatever call names the message. */
    requestedBy: (second: number, request_id: string, more: Partial<MessageRequested> = {}) =>
      ({ ...requested(second, { request_id, ...more }), id: message_id }) as ReceivedEvent,
    resolved: (second: number, email = 'Ada@x.org', known: Partial<Contact> = {}) =>
      received('ContactUpserted', second, {
        ...subject,
        request_id: REQUEST_ID,
        accepted_at: instant(0),
        campaign: CAMPAIGN,
        to: { email },
        contact: { id: 'contact00000000001', email, sms: null, keys: {}, profile: { secret: 1 }, version: 2, ...known },
      }),
    queued: (second: number, more: Partial<MessageQueued> = {}) =>
      received('MessageQueued', second, {
        ...subject,
        campaign: CAMPAIGN,
        priority: 'normal',
        on_uncertain: 'retry',
        expires_at: null,
        envelope: { from: 'f@x.org', to: ['ada@x.org'] },
        mail: {
          message_id: '<1@x.org>',
          date: instant(second),
          from: { email: 'f@x.org' },
          to: { email: 'ada@x.org' },
          cc: [],
          subject: 'Hi',
          text: 'a body',
          headers: [],
          attachments: [],
        },
        ...more,
      }),
    sending: (second: number, number: number) =>
      received('MessageSending', second, { ...subject, attempt: number, next_hop: 'mx.x.org' }),
    sent: (second: number, number: number) =>
      received('MessageSent', second, { ...subject, attempt: attempt(number, second, 'sent') }),
    deferred: (second: number, number: number, retry = second + 60) =>
      received('MessageDeferred', second, {
        ...subject,
        attempt: attempt(number, second, 'deferred'),
        reason: reason('greylisted'),
        retry_at: instant(retry),
      }),
    uncertain: (second: number, number: number) =>
      received('MessageUncertain', second, {
        ...subject,
        attempt: attempt(number, second, 'unknown'),
        reason: reason('uncertain'),
        retry_at: null,
      }),
    bounced: (second: number, number: number) =>
      received('MessageBounced', second, {
        ...subject,
        attempt: attempt(number, second, 'bounced'),
        reason: reason('mailbox_unknown'),
        address: 'ada@x.org',
        hard: true,
      }),
    /** Before the message reaches dispatch. */
    failed: (second: number, code: ReasonCode = 'render_error', more: Refused = {}) => {
      const failed = received('MessageFailed', second, { ...subject, reason: reason(code), ...more });
      return { ...failed, source: 'renderer' } as ReceivedEvent;
    },
    /** In the queue of dispatch, before any attempt. */
    expired: (second: number) => received('MessageFailed', second, { ...subject, reason: reason('expired') }),
    usedUp: (second: number, number: number) =>
      received('MessageFailed', second, {
        ...subject,
        attempt: attempt(number, second, 'failed'),
        reason: reason('attempts_used_up'),
      }),
    sentBut: (second: number, number: number, retry: number | null, waiting = ['cc@x.org']) =>
      received('MessageSent', second, {
        ...subject,
        attempt: attempt(number, second, 'sent'),
        copies: copiesLeft(waiting, retry),
      }),
    copies: (second: number, number: number, retry: number | null, outcome: AttemptOutcome = 'deferred') =>
      received('MessageCopiesTried', second, {
        ...subject,
        attempt: attempt(number, second, outcome),
        reason: reason('greylisted'),
        copies: copiesLeft(retry === null ? [] : ['cc@x.org'], retry),
      }),
    copiesGivenUp: (second: number) =>
      received('MessageCopiesTried', second, {
        ...subject,
        reason: reason('expired'),
        copies: { waiting: [], given_up: [{ address: 'cc@x.org', ...reason('expired') }], retry_at: null },
      }),
    cancelled: (second: number) => received('MessageCancelled', second, { ...subject, reason: reason('cancelled') }),
    retried: (second: number, number: number, more: Partial<MessageRetried> = {}) =>
      received('MessageRetried', second, { ...subject, attempt: number, was: 'bounced', ...more }),
    returned: (second: number, own = true) =>
      received('MessageReturned', second, {
        ...subject,
        address: own ? 'ada@x.org' : 'cc@x.org',
        own,
        hard: true,
        status: '5.1.1',
        reason: reason('mailbox_unknown'),
      }),
    complained: (second: number) => received('MessageComplained', second, { ...subject, address: 'ada@x.org' }),
    suppressed: (second: number, more: Refused = {}) =>
      received('MessageSuppressed', second, {
        ...subject,
        reason: reason('suppressed'),
        address: 'ada@x.org',
        ...more,
      }),
  };
}

/** The facts of these events, added to the known ones. */
export function factsOf(events: ReceivedEvent[], known: Fact[] = []): Fact[] {
  return withFacts(
    known,
    events.map(factOf).filter((fact) => fact !== undefined),
  );
}
