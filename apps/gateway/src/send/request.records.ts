import type { Recipient } from '@lettermill/contract';
import {
  contactPartitionKey,
  encodeData,
  type AttachmentRef,
  type CampaignRef,
  type Details,
  type MessageRequested,
  type RawRecord,
} from '@lettermill/events';

/** One message of a request, ready to be put on the log. */
export interface AcceptedMessage {
  messageId: string;
  recipient: Recipient;
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

function ownData(request: AcceptedRequest, { messageId, recipient, message, attachments }: AcceptedMessage): string {
  const own: Omit<MessageRequested, 'shared'> = {
    account_id: request.accountId,
    message_id: messageId,
    request_id: request.requestId,
    accepted_at: request.acceptedAt,
    external_message_id: recipient.externalMessageId,
    campaign: request.campaign,
    contact_key: recipient.contactKeyObject,
    name: recipient.name,
    email_address: recipient.emailAddress,
    profile_data: recipient.profileData,
    message,
    attachments,
  };
  return JSON.stringify(own);
}

/** A `MessageRequested` record for each message. The event's id is the message's: a second one is recognised. */
export function requestRecords(request: AcceptedRequest): RawRecord[] {
  const { accountId, acceptedAt, sharedJson, traceparent } = request;
  return request.messages.map((accepted) => {
    const { kind, value } = accepted.recipient.contactKey;
    const own = ownData(request, accepted);
    const data = sharedJson === undefined ? own : `${own.slice(0, -1)},"shared":${sharedJson}}`;
    return encodeData(
      {
        id: accepted.messageId,
        type: 'MessageRequested',
        source: 'gateway',
        time: acceptedAt,
        key: contactPartitionKey(accountId, kind, value),
        traceparent,
      },
      data,
    );
  });
}
