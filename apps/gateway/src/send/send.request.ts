import { createHash, hash } from 'node:crypto';
import type { Recipient, SendEmailRequest } from '@lettermill/contract';
import { contactPartitionKey } from '@lettermill/events';
import stableJson from 'fast-json-stable-stringify';
import type { UploadedFile } from '../attachments/request.files';
import type { UniqueName } from './claims.store';

/** Length of the digest by which contacts are told apart. */
const CONTACT_DIGEST_LENGTH = 16;

/** A call as the controller passes it on. */
export interface SendCall {
  accountId: string;
  requestId: string;
  body: unknown;
  /** Names of query parameters, of which this call has none; absent if there are none. */
  parameters?: string[];
  /** Files of a multipart body; discarded once the call has been answered. */
  uploads?: UploadedFile[];
  idempotencyKey?: string;
  traceparent?: string;
}

/** What an accepted call is answered. */
export interface Accepted {
  /** The body of the 202, as JSON. */
  ack: string;
  /** The request named in it: an earlier one, if this call repeats its answer or takes its place. */
  requestId: string;
  replayed: boolean;
}

/** A call whose body fulfils the contract. */
export interface SendRequest extends SendCall {
  body: SendEmailRequest;
  recipients: Recipient[];
  messageIds: string[];
}

/** Whether the request has texts of its own; they may be templates that do not parse. */
export function bringsTexts({ body, recipients }: SendRequest): boolean {
  return !!body.message || recipients.some(({ message }) => message);
}

export function bringsFiles({ body, recipients, uploads }: SendRequest): boolean {
  return !!uploads?.length || !!body.attachments || recipients.some(({ attachments }) => attachments);
}

/** Two requests are the same when their JSON says the same and their files have the same names and bytes. */
export function fingerprint({ body, uploads = [] }: SendRequest): string {
  const files = uploads.map(({ part, fileName, contentType, draft }) => [part, fileName, contentType, draft.blob]);
  return createHash('sha256')
    .update(stableJson([body, files.sort()]))
    .digest('hex');
}

export function namesOf({ accountId, idempotencyKey, recipients, messageIds }: SendRequest): UniqueName[] {
  const names: UniqueName[] = [];
  recipients.forEach(({ externalMessageId: value, contactKey }, index) => {
    if (value === undefined) return;
    const key = contactPartitionKey(accountId, contactKey.kind, contactKey.value);
    const contact = hash('sha256', key, 'base64url').slice(0, CONTACT_DIGEST_LENGTH);
    names.push({ kind: 'external', value, messageId: messageIds[index]!, contact });
  });
  if (idempotencyKey !== undefined) names.push({ kind: 'key', value: idempotencyKey, messageId: null });
  return names;
}
