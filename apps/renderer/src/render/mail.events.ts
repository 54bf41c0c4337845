import { domainToASCII } from 'node:url';
import {
  derivedId,
  distinctAddresses,
  type AttachmentRef,
  type Body,
  type CampaignLaunched,
  type ContactUpserted,
  type Event,
  type LostCopy,
  type ReceivedEvent,
} from '@lettermill/events';
import type { TemplateData } from '@lettermill/templates';
import type { MergedDetails } from './precedence';

export type Cause = ReceivedEvent<Event<'ContactUpserted'>>;

/** Other events on the same topics are about contacts whose messages ended before they came here. */
export const isCause = (event: ReceivedEvent): event is Cause => event.type === 'ContactUpserted';

/** Why a message cannot be rendered (codes of the reason table). */
export interface Failure {
  code: 'render_error' | 'render_limit' | 'content_lost' | 'unsubscribed';
  detail: string;
}

/** The bodies of a mail as the event carries them. */
export interface MailBodies {
  subject: string;
  text?: Body;
  html?: Body;
}

/** The parts of a mail besides its bodies. */
export interface MailParts {
  merged: MergedDetails;
  /** Copies that were removed from `merged` because they are suppressed. */
  suppressedCopies: LostCopy[];
  attachments: AttachmentRef[];
  /** Envelope sender, if it differs from the campaign's sender. */
  returnPath: string | null;
}

/** The data that the templates of a message see (docs/send.md 9); `unsubscribe_url` is null if the campaign has no such links. */
export function templateData(
  { contact, message_id, request_id, accepted_at, to }: ContactUpserted,
  campaign: CampaignLaunched,
  unsubscribe_url: string | null,
): TemplateData {
  const { profile, ...known } = contact;
  const { id, slug, version, name } = campaign;
  return {
    profile,
    contact: known,
    campaign: { id, slug, version, name },
    message: { id: message_id, request_id, accepted_at, to, ...(unsubscribe_url && { unsubscribe_url }) },
  };
}

/** The event for a mail that is ready. The same cause gives the same event, except for its time. */
export function queuedEvent(
  cause: Cause,
  campaign: CampaignLaunched,
  { merged, suppressedCopies, attachments, returnPath }: MailParts,
  bodies: MailBodies,
  time: string,
): Event<'MessageQueued'> {
  const { account_id, message_id, accepted_at, to } = cause.data;
  const { from, priority, on_uncertain, valid_for } = campaign;
  const { subject: _subject, text: _text, html: _html, cc = [], bcc = [], ...others } = merged;
  const mail = {
    message_id: `<${message_id}@${asciiDomain(from.email)}>`,
    date: accepted_at,
    from,
    to,
    cc,
    ...others,
    ...bodies,
    attachments,
  };
  return {
    ...eventBase(cause, 'queued', time),
    type: 'MessageQueued',
    key: cause.key,
    data: {
      account_id,
      message_id,
      campaign: cause.data.campaign,
      priority,
      on_uncertain,
      expires_at: valid_for === null ? null : new Date(Date.parse(accepted_at) + valid_for * 1000).toISOString(),
      envelope: {
        from: returnPath ?? from.email,
        to: distinctAddresses([to, ...cc, ...bcc].map(({ email }) => email)),
      },
      ...(suppressedCopies.length > 0 && { suppressed_copies: suppressedCopies }),
      mail,
    },
  };
}

export function failedEvent(
  cause: Cause,
  { code, detail }: Failure,
  time: string,
): Event<'MessageFailed'> | Event<'MessageSuppressed'> {
  const { account_id, message_id, to } = cause.data;
  const reason = { code, detail };
  if (code === 'unsubscribed') {
    const data = { account_id, message_id, reason, address: to.email };
    return { ...eventBase(cause, 'suppressed', time), type: 'MessageSuppressed', key: message_id, data };
  }
  return {
    ...eventBase(cause, 'failed', time),
    type: 'MessageFailed',
    key: message_id,
    data: { account_id, message_id, reason },
  };
}

function eventBase({ id, traceparent }: Cause, step: string, time: string) {
  return { id: derivedId(id, step), source: 'renderer' as const, time, traceparent };
}

/** Header fields take A-labels only (RFC 5322 3.6.4: msg-id is ASCII). */
function asciiDomain(email: string): string {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return domainToASCII(domain) || domain;
}
