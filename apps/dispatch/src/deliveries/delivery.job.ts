import { domainToASCII } from 'node:url';
import type { Event, MessageQueued } from '@lettermill/events';
import { PRIORITIES, type ClaimedDelivery, type NewDelivery, type StoredDelivery } from './deliveries.store';
import type { Delivery, DeliveryTerms, Envelope } from '../lifecycle/delivery';

/** What a claimed delivery is to do, read from its content. */
export interface DeliveryJob {
  terms: DeliveryTerms;
  queued: MessageQueued;
}

/** A rendered mail as a new delivery for the store, due at once. */
export function newDelivery({ data, traceparent }: Event<'MessageQueued'>, now: number): NewDelivery {
  return {
    accountId: data.account_id,
    messageId: data.message_id,
    priority: PRIORITIES[data.priority],
    domain: domainOf(data.mail.to.email),
    dueAt: now,
    expiresAt: expiryOf(data),
    content: JSON.stringify(data),
    recipients: data.envelope.to,
    traceparent,
  };
}

function expiryOf({ expires_at }: MessageQueued): number | null {
  return expires_at === null ? null : Date.parse(expires_at);
}

/** The domain in A-labels, so that both spellings of an internationalised domain are one, the one that DOMAIN_RATES names. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return domainToASCII(domain) || domain;
}

export function sendingDelivery(claimed: ClaimedDelivery): Delivery {
  const { accountId, messageId, attempts, rest, mayHaveArrived, mayHaveArrivedBefore } = claimed;
  const doubt = { ...(mayHaveArrived && { mayHaveArrived }), ...(mayHaveArrivedBefore && { mayHaveArrivedBefore }) };
  return { accountId, messageId, state: 'sending', attempts, dueAt: null, ...(rest && { rest }), ...doubt };
}

/** Whom the attempt goes to. */
export function envelopeOf({ rest }: ClaimedDelivery, { envelope, mail }: MessageQueued): Envelope {
  if (!rest) return { ...envelope, main: mail.to.email };
  return { from: envelope.from, to: rest.to, main: rest.after === null ? mail.to.email : null };
}

function parseContent(content: string | null): MessageQueued | undefined {
  try {
    return (JSON.parse(content ?? '') as MessageQueued | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The main recipient's address. */
export function mainRecipientOf(content: string | null): string | null {
  return parseContent(content)?.mail.to.email ?? null;
}

/** The recipients of another attempt as written on the wire, the main one first; includes copies of a bounced mail that still wait. */
export function retryRecipients({ content, rest }: Pick<StoredDelivery, 'content' | 'rest'>): string[] {
  const queued = parseContent(content);
  if (!queued) return [];
  if (!rest) return queued.envelope.to;
  return rest.after === null ? rest.to : [queued.mail.to.email, ...rest.to];
}

/** Whether the mail is of a kind from which one can unsubscribe. */
export function canUnsubscribe(content: string | null): boolean {
  return (parseContent(content)?.mail.headers ?? []).some(([name]) => name.toLowerCase() === 'list-unsubscribe');
}

/** Undefined if the content is missing or unreadable. */
export function jobOf({ content }: { content: string | null }): DeliveryJob | undefined {
  const queued = parseContent(content);
  if (!queued) return undefined;
  const terms: DeliveryTerms = {
    expiresAt: expiryOf(queued),
    onUncertain: queued.on_uncertain,
    address: queued.mail.to.email,
  };
  return { queued, terms };
}
