import {
  derivedId,
  type AnyEvent,
  type ContactUpserted,
  type Event,
  type MessageRequested,
  type Received,
  type Shared,
} from '@lettermill/events';
import { contactData } from './contact';
import type { Resolution } from './contact.resolve';
import { sharedRef } from './shared.contents';

export type RequestedEvent = Received<Event<'MessageRequested'>>;

/** The shared part as the renderer needs it: the same reference, or what rode along without the profile data. */
function sharedOnward(data: MessageRequested): ContactUpserted['shared'] {
  const ref = sharedRef(data);
  if (ref || !data.shared) return ref;
  const { message, attachments } = data.shared as Shared;
  if (!message && !attachments) return undefined;
  return { ...(message && { message }), ...(attachments && { attachments }) };
}

function upserted(
  data: MessageRequested,
  { contact, to, unsubscribed, suppressedCopies }: Extract<Resolution, { to: unknown }>,
): ContactUpserted {
  const { account_id, message_id, request_id, accepted_at, campaign, message, attachments } = data;
  const shared = sharedOnward(data);
  return {
    ...{ account_id, message_id, request_id, accepted_at, campaign, to },
    contact: contactData(contact),
    ...(unsubscribed && { unsubscribed }),
    ...(suppressedCopies && { suppressed_copies: suppressedCopies }),
    ...(message && { message }),
    ...(attachments && { attachments }),
    ...(shared && { shared }),
  };
}

/** What is said of one resolved message. The same record gives the same event id, however often it is read. */
export function eventOf(cause: RequestedEvent, resolution: Resolution, time: string): AnyEvent {
  const { traceparent, data } = cause;
  const { account_id, message_id } = data;
  const said = { source: 'contacts', time, ...(traceparent && { traceparent }) };
  if (!resolution.refusal) {
    const id = derivedId(cause.id, 'contact-upserted');
    return { ...said, id, type: 'ContactUpserted', key: cause.key, data: upserted(data, resolution) };
  }
  const { reason, address } = resolution.refusal;
  if (address !== null) {
    const id = derivedId(cause.id, 'message-suppressed');
    const suppressed = { account_id, message_id, reason, address };
    return { ...said, id, type: 'MessageSuppressed', key: message_id, data: suppressed };
  }
  const id = derivedId(cause.id, 'message-failed');
  return { ...said, id, type: 'MessageFailed', key: message_id, data: { account_id, message_id, reason } };
}
