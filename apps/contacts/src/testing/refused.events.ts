import type { CopiesLeft, ReceivedEvent } from '@lettermill/events';
import { messageId } from './requested';

/** The event of a message that the next hop refused. */
export function bounced(
  number: number,
  address: string,
  hard = true,
  ended_at = '2026-03-01T10:00:00.000Z',
): ReceivedEvent {
  const attempt = { number: 1, at: ended_at, ended_at, next_hop: 'mx', outcome: 'bounced' as const, reply: null };
  const reason = { code: 'mailbox_unknown' as const, detail: 'no such mailbox' };
  return {
    id: `event${number}`,
    type: 'MessageBounced',
    source: 'dispatch',
    time: ended_at,
    key: messageId(number),
    topic: 'message-outcome',
    partition: 0,
    position: number,
    data: { account_id: 'a', message_id: messageId(number), attempt, reason, address, hard },
  };
}

/** The event of a report about a mail that a later server refused. Of one report, only the time can differ when it is sent again. */
export function returned(number: number, address: string, time: string): ReceivedEvent {
  const { data, ...event } = bounced(number, address, true, time);
  const { attempt: _, ...about } = data as { attempt: unknown };
  const id = `${messageId(number)}/returned/${address}`;
  return { ...event, id, type: 'MessageReturned', data: { ...about, own: true, status: null } } as ReceivedEvent;
}

/** The event of a report about a complaint. */
export function complained(number: number, address: string, time: string): ReceivedEvent {
  const data = { account_id: 'a', message_id: messageId(number), address };
  const id = `${messageId(number)}/complained/${address}`;
  return { ...bounced(number, address, true, time), id, type: 'MessageComplained', data } as ReceivedEvent;
}

/**
 * `gone` is refused because of its mailbox, `full` for another cause, `old` in a record that does not say, and `later` is still waiting.
 */
export const copiesLeft = (...gone: string[]): CopiesLeft => {
  const lost = (address: string) => ({ address, code: 'domain_unknown', detail: '550 no' });
  return {
    waiting: ['later@x.org'],
    given_up: [
      ...gone.map((one) => ({ ...lost(one), hard: true })),
      { ...lost('full@x.org'), hard: false },
      lost('old@x.org'),
    ],
    retry_at: null,
  };
};

/** The event of an attempt that says this of its copies; it ended an hour before the event was written. */
export const attemptEvent = (
  type: 'MessageSent' | 'MessageBounced' | 'MessageCopiesTried',
  copies: CopiesLeft,
  more: object = {},
) => {
  const event = bounced(1, 'ada@x.org', true);
  const data = { ...event.data, copies, ...more };
  return { ...event, type, time: '2026-03-01T11:00:00.000Z', data } as ReceivedEvent;
};
