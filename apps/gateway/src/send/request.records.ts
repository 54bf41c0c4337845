import type { Recipient } from '@lettermill/contract';
import {
  contactPartitionKey,
  encodeData,
  type AttachmentRef,
  type CampaignRef,
  type Details,
  type RawRecord,
} from '@lettermill/events';

/** One message of a request, ready to be put on the log. */
export interface AcceptedMessage {
  messageId: string;
  recipient: Recipient;
  /** The recipient's `contact_key` as it is echoed. */
  contactKeyJson: string;
  message?: Details;
  attachments?: AttachmentRef[];
}

export interface AcceptedRequest {
  accountId: string;
  requestId: string;
  /** RFC 3339. */
  acceptedAt: string;
  campaign: CampaignRef;
  messages: AcceptedMessage[];
  /** JSON of what the recipients share, written once into each record. */
  sharedJson?: string;
  traceparent?: string;
}

const text = JSON.stringify;

function member(name: string, value: unknown): string {
  return value === undefined ? '' : `,"${name}":${text(value)}`;
}

/** What every record of the request begins with. */
function sharedHead({ accountId, requestId, acceptedAt, campaign }: AcceptedRequest): string {
  const head = text({ account_id: accountId, request_id: requestId, accepted_at: acceptedAt, campaign });
  return head.slice(0, -1);
}

function ownPart({ messageId, contactKeyJson, recipient, message, attachments }: AcceptedMessage): string {
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

/**
 * A `MessageRequested` record for each message, its data in parts: what recipients share is written out once. The event's
 * id is the message's: a second one is recognised.
 */
export function requestRecords(request: AcceptedRequest): RawRecord[] {
  const { accountId, acceptedAt, sharedJson, traceparent } = request;
  const head = sharedHead(request);
  const tail = sharedJson === undefined ? '}' : `,"shared":${sharedJson}}`;
  return request.messages.map((accepted) => {
    const { kind, value } = accepted.recipient.contactKey;
    return encodeData(
      {
        id: accepted.messageId,
        type: 'MessageRequested',
        source: 'gateway',
        time: acceptedAt,
        key: contactPartitionKey(accountId, kind, value),
        traceparent,
      },
      [head, ownPart(accepted), tail],
    );
  });
}

/** The 202's body (contract: SendEmailAck). */
export function acknowledgement(requestId: string, messages: AcceptedMessage[]): string {
  const results = messages.map(({ messageId, contactKeyJson, recipient }) => {
    const external = member('external_message_id', recipient.externalMessageId);
    return `{"message_id":"${messageId}","contact_key":${contactKeyJson}${external}}`;
  });
  return `{"request_id":"${requestId}","messages":[${results.join()}]}`;
}
