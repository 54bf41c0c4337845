import {
  derivedId,
  encodeEvent,
  priorityOf,
  recordFactory,
  type Address,
  type ContactUpserted,
  type Event,
  type MessageRequested,
  type RawRecord,
  type ReceivedEvent,
  type Shared,
} from '@lettermill/events';
import { contactData, knownContact, type StoredContact } from './contact';
import type { Refusal, Resolution } from './contact.resolve';
import { sharedRef } from './shared.contents';

export type RequestedEvent = ReceivedEvent<Event<'MessageRequested'>>;

/** The shared part as the renderer needs it: the same reference, or the inline content without the profile data. */
function sharedForRenderer(data: MessageRequested): ContactUpserted['shared'] {
  const ref = sharedRef(data);
  if (ref || !data.shared) return ref;
  const { profile_data: _merged, ...needed } = data.shared as Shared;
  return Object.keys(needed).length > 0 ? needed : undefined;
}

type FieldsReadHere = 'contact_key' | 'name' | 'email_address' | 'profile_data' | 'campaign_copies';
type FieldsOfTracker = 'external_message_id';
type FieldsPassedOn = 'request_id' | 'accepted_at' | 'campaign' | 'message' | 'attachments' | 'shared';

/**
 * Fields of a request that would stop here and never reach a mail. A new field is a type error in `resolvedRecord`: pass it on, and name it
 * above.
 */
type Unread = Exclude<
  keyof MessageRequested,
  'account_id' | 'message_id' | FieldsReadHere | FieldsOfTracker | FieldsPassedOn
>;

type ResolvedContact = Extract<Resolution, { to: Address }>;

/** JSON of these fields and the contact, in parts: the profile is copied as stored, without parsing it. */
function jsonWithContact(head: object, contact: StoredContact): string[] {
  const contactJson = JSON.stringify(contactData(contact));
  return [
    `${JSON.stringify(head).slice(0, -1)},"contact":${contactJson.slice(0, -1)},"profile":`,
    contact.profile,
    '}}',
  ];
}

function upsertedJson(
  data: MessageRequested & Record<Unread, never>,
  { contact, to, unsubscribed, suppressedCopies }: ResolvedContact,
): string[] {
  const { account_id, message_id, request_id, accepted_at, campaign, message, attachments } = data;
  const shared = sharedForRenderer(data);
  const head: Omit<ContactUpserted, 'contact'> = {
    account_id,
    message_id,
    request_id,
    accepted_at,
    campaign,
    to,
    ...(unsubscribed && { unsubscribed }),
    ...(suppressedCopies && { suppressed_copies: suppressedCopies }),
    ...(message && { message }),
    ...(attachments && { attachments }),
    ...(shared && { shared }),
  };
  return jsonWithContact(head, contact);
}

type EndedResolution = Extract<Resolution, { refusal: Refusal }>;
type EventBase = Pick<Event<'MessageFailed'>, 'time' | 'traceparent' | 'priority'> & { source: 'contacts' };

function endedRecord(cause: RequestedEvent, { contact, refusal }: EndedResolution, base: EventBase): RawRecord {
  const { account_id, message_id } = cause.data;
  const { reason, address } = refusal;
  const data = { account_id, message_id, reason, ...(contact && { contact: knownContact(contact) }) };
  if (address !== null) {
    const id = derivedId(cause.id, 'message-suppressed');
    return encodeEvent({ ...base, id, type: 'MessageSuppressed', key: message_id, data: { ...data, address } });
  }
  const id = derivedId(cause.id, 'message-failed');
  return encodeEvent({ ...base, id, type: 'MessageFailed', key: message_id, data });
}

function changedRecord({ id: causeId, key, data }: RequestedEvent, contact: StoredContact, base: EventBase): RawRecord {
  const id = derivedId(causeId, 'contact-changed');
  const { account_id, message_id } = data;
  const json = jsonWithContact({ account_id, message_id }, contact);
  return recordFactory({ ...base, type: 'ContactChanged' })(id, key, json);
}

/**
 * The events for a resolved message: one that carries it on, or one that ends it, unless another record has carried it on. The last events
 * about each contact are kept for ever, so another event tells the contact as it is stored: where a message that does not go on changed it,
 * and after a message that goes on with the data of its own request because its record was read again. The same record always gives the
 * same event ids, however often it is read.
 */
export function resolvedRecords(cause: RequestedEvent, resolution: Resolution, time: string): RawRecord[] {
  const { traceparent, topic, data, key } = cause;
  const base = { source: 'contacts' as const, time, ...(traceparent && { traceparent }), priority: priorityOf(topic) };
  if (!resolution.to) {
    const changed = resolution.changed ? [changedRecord(cause, resolution.contact, base)] : [];
    return resolution.refusal ? [...changed, endedRecord(cause, resolution, base)] : changed;
  }
  const id = derivedId(cause.id, 'contact-upserted');
  const upserted = recordFactory({ ...base, type: 'ContactUpserted' })(id, key, upsertedJson(data, resolution));
  const { contact, known = contact } = resolution;
  return known === contact ? [upserted] : [upserted, changedRecord(cause, known, base)];
}
