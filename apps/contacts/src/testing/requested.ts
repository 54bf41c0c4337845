import type { ContactKey, MessageRequested } from '@lettermill/events';
import type { RequestedEvent } from '../resolve/resolve.events';

export const messageId = (number: number) => `message${String(number).padStart(11, '0')}`;

/** A message of account `a`. */
export function requested(number: number, contact_key: ContactKey, more: Partial<MessageRequested> = {}) {
  return {
    account_id: 'a',
    message_id: messageId(number),
    request_id: '0190b0e0-0000-7000-8000-000000000000',
    accepted_at: '2026-03-01T12:00:00.000Z',
    campaign: { id: 'campaign0000000001', slug: 'welcome', version: 1 },
    contact_key,
    ...more,
  } satisfies MessageRequested;
}

/** The record of a message at this position. */
export function requestedEvent(data: MessageRequested, position: number, partition = 0): RequestedEvent {
  return {
    id: `event-${data.message_id}`,
    type: 'MessageRequested',
    source: 'gateway',
    time: data.accepted_at,
    key: `a:${JSON.stringify(data.contact_key)}`,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data,
    topic: 'message-requested',
    partition,
    position,
  };
}
