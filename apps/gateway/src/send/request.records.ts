import type { Recipient } from '@lettermill/contract';
import {
  contactPartitionKey,
  recordFactory,
  type AttachmentRef,
  type CampaignRef,
  type Details,
  type MessageRequested,
  type Priority,
  type RawRecord,
} from '@lettermill/events';

/** One message of a request, ready for the log. */
export interface AcceptedMessage {
  messageId: string;
  recipient: Recipient;
  /** The recipient's `contact_key` as the answer repeats it. */
  contactKeyJson: string;
  message?: Details;
  attachments?: AttachmentRef[];
}

/** A request, ready for the log. */
export interface PreparedRequest {
  campaign: CampaignRef & { priority: Priority; copiesJson?: string };
  messages: AcceptedMessage[];
  /** What the recipients share, as JSON; serialised once, and part of each record. */
  sharedJson?: string;
}

export interface AcceptedRequest {
  accountId: string;
  requestId: string;
  /** RFC 3339. */
  acceptedAt: string;
  traceparent?: string;
}

/** Texts that need no escaping in JSON. */
const NO_ESCAPE_NEEDED = /^[ !#-[\]-~]*$/;

/** Same result as JSON.stringify, and faster for the plain texts that are most common. */
function jsonString(value: string): string {
  return NO_ESCAPE_NEEDED.test(value) ? `"${value}"` : JSON.stringify(value);
}

function member(name: keyof MessageRequested, value: unknown): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}

/** The beginning of every record of the request. */
function sharedHead(
  { accountId, requestId, acceptedAt }: AcceptedRequest,
  campaign: PreparedRequest['campaign'],
): string {
  const { id, slug, version, copiesJson } = campaign;
  const copies = copiesJson === undefined ? '' : `,"campaign_copies":${copiesJson}`;
  const ref = `{"id":${jsonString(id)},"slug":${jsonString(slug)},"version":${version}}`;
  const request = `{"account_id":${jsonString(accountId)},"request_id":${jsonString(requestId)}`;
  return `${request},"accepted_at":"${acceptedAt}","campaign":${ref}${copies}`;
}

/** Fields of a recipient that would stop here. A new field is a type error where `ownPart` is called: read it, and name it here. */
type Unread = Exclude<
  keyof Recipient,
  'pointer' | 'contactKey' | 'name' | 'emailAddress' | 'externalMessageId' | 'profileData' | 'message' | 'attachments'
>;

function ownPart(accepted: AcceptedMessage & { recipient: Record<Unread, never> }): string {
  const { messageId, contactKeyJson, recipient, message, attachments } = accepted;
  return (
    `,"message_id":"${messageId}","contact_key":${contactKeyJson}` +
    member('external_message_id', recipient.externalMessageId) +
    member('name', recipient.name) +
    member('email_address', recipient.emailAddress) +
    member('profile_data', recipient.profileData) +
    member('message', message) +
    member('attachments', attachments)
  );
}

/** The messages of a request, one for each recipient, without what has to be stored first. */
export function acceptedMessages(recipients: Recipient[], messageIds: string[]): AcceptedMessage[] {
  return recipients.map((recipient, i) => {
    const { kind, value } = recipient.contactKey;
    return { messageId: messageIds[i]!, recipient, contactKeyJson: `{${jsonString(kind)}:${jsonString(value)}}` };
  });
}

/**
 * A `MessageRequested` record for each message, its data in parts, so that what recipients share is serialised once. The id of the event is
 * the id of the message, so that a repeated event is recognised.
 */
export function requestRecords(
  request: AcceptedRequest,
  { campaign, messages, sharedJson }: PreparedRequest,
): RawRecord[] {
  const { accountId, acceptedAt, traceparent } = request;
  const head = sharedHead(request, campaign);
  const tail = sharedJson === undefined ? '}' : `,"shared":${sharedJson}}`;
  const record = recordFactory({
    type: 'MessageRequested',
    source: 'gateway',
    time: acceptedAt,
    traceparent,
    priority: campaign.priority,
  });
  return messages.map((accepted) => {
    const { kind, value } = accepted.recipient.contactKey;
    const key = contactPartitionKey(accountId, kind, value);
    return record(accepted.messageId, key, [head, ownPart(accepted), tail]);
  });
}

/** The body of the 202 (contract: SendEmailAck). */
export function acknowledgement(requestId: string, messages: AcceptedMessage[]): string {
  const results = messages.map(({ messageId, contactKeyJson, recipient }) => {
    const external = member('external_message_id', recipient.externalMessageId);
    return `{"message_id":"${messageId}","contact_key":${contactKeyJson}${external}}`;
  });
  return `{"request_id":"${requestId}","messages":[${results.join()}]}`;
}
