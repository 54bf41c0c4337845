import {
  derivedId,
  encodeEvent,
  priorityOf,
  recordsLike,
  type ContactUpserted,
  type Event,
  type MessageRequested,
  type RawRecord,
  type Received,
  type Shared,
} from '@lettermill/events';
import { contactData } from './contact';
import type { Resolution } from './contact.resolve';
import { sharedRef } from './shared.contents';

export type RequestedEvent = Received<Event<'MessageRequested'>>;

/** The shared part as the renderer needs it: the same reference, or the inline content without the profile data. */
function sharedOnward(data: MessageRequested): ContactUpserted['shared'] {
  const ref = sharedRef(data);
  if (ref || !data.shared) return ref;
  const { message, attachments } = data.shared as Shared;
  if (!message && !attachments) return undefined;
  return { ...(message && { message }), ...(attachments && { attachments }) };
}

type ReadHere = 'contact_key' | 'name' | 'email_address' | 'profile_data' | 'campaign_copies';
type OfTheTracker = 'external_message_id';
type Onward = 'request_id' | 'accepted_at' | 'campaign' | 'message' | 'attachments' | 'shared';

/**
 * Fields of a request that would stop here and never reach a mail. A new field is a type error in `resolvedRecord`: pass it on, and name it
 * above.
 */
type Unread = Exclude<keyof MessageRequested, 'account_id' | 'message_id' | ReadHere | OfTheTracker | Onward>;

type Upserting = Extract<Resolution, { to: unknown }>;

/** JSON of a `ContactUpserted`, in parts: the profile is copied as stored, without parsing it. */
function upserted(
  data: MessageRequested & Record<Unread, never>,
  { contact, to, unsubscribed, suppressedCopies }: Upserting,
): string[] {
  const { account_id, message_id, request_id, accepted_at, campaign, message, attachments } = data;
  const shared = sharedOnward(data);
  const head: Omit<ContactUpserted, 'contact'> = {
    ...{ account_id, message_id, request_id, accepted_at, campaign, to },
    ...(unsubscribed && { unsubscribed }),
    ...(suppressedCopies && { suppressed_copies: suppressedCopies }),
    ...(message && { message }),
    ...(attachments && { attachments }),
    ...(shared && { shared }),
  };
  const known = JSON.stringify(contactData(contact));
  return [`${JSON.stringify(head).slice(0, -1)},"contact":${known.slice(0, -1)},"profile":`, contact.profile, '}}'];
}

/** The event for a resolved message. The same record always gives the same event id, however often it is read. */
export function resolvedRecord(cause: RequestedEvent, resolution: Resolution, time: string): RawRecord {
  const { traceparent, topic, data } = cause;
  const { account_id, message_id } = data;
  const said = { source: 'contacts' as const, time, ...(traceparent && { traceparent }), priority: priorityOf(topic) };
  if (!resolution.refusal) {
    const id = derivedId(cause.id, 'contact-upserted');
    return recordsLike({ ...said, type: 'ContactUpserted' })(id, cause.key, upserted(data, resolution));
  }
  const { reason, address } = resolution.refusal;
  if (address !== null) {
    const id = derivedId(cause.id, 'message-suppressed');
    const suppressed = { account_id, message_id, reason, address };
    return encodeEvent({ ...said, id, type: 'MessageSuppressed', key: message_id, data: suppressed });
  }
  const id = derivedId(cause.id, 'message-failed');
  return encodeEvent({ ...said, id, type: 'MessageFailed', key: message_id, data: { account_id, message_id, reason } });
}
