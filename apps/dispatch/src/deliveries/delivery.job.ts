import { domainToASCII } from 'node:url';
import type { Event, MessageQueued } from '@lettermill/events';
import { PRIORITIES, type ClaimedDelivery, type NewDelivery, type StoredDelivery } from './deliveries.store';
import type { Delivery, DeliveryTerms, Envelope } from './delivery';

/** What a claimed delivery is to do, read from its content. */
export interface DeliveryJob {
  terms: DeliveryTerms;
  queued: MessageQueued;
}

/** A mail that waits to be sent, as the store keeps it; due at once. */
export function newDelivery({ data, traceparent }: Event<'MessageQueued'>, now: number): NewDelivery {
  return {
    accountId: data.account_id,
    messageId: data.message_id,
    priority: PRIORITIES[data.priority],
    domain: domainOf(data.mail.to.email),
    dueAt: now,
    content: JSON.stringify(data),
    recipients: data.envelope.to,
    traceparent,
  };
}

/** In A-labels: written either way it is one domain, and the one that DOMAIN_RATES names. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return domainToASCII(domain) || domain;
}

export function sendingDelivery({ accountId, messageId, attempts, rest }: ClaimedDelivery): Delivery {
  return { accountId, messageId, state: 'sending', attempts, dueAt: null, ...(rest && { rest }) };
}

/** Whom the attempt goes to. */
export function envelopeOf({ rest }: ClaimedDelivery, { envelope, mail }: MessageQueued): Envelope {
  if (!rest) return { ...envelope, main: mail.to.email };
  return { from: envelope.from, to: rest.to, main: rest.after === null ? mail.to.email : null };
}

function read(content: string | null): MessageQueued | undefined {
  try {
    return (JSON.parse(content ?? '') as MessageQueued | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where there is no content. */
export function termsOf(content: string | null): DeliveryTerms | undefined {
  return jobOf({ content })?.terms;
}

/** Whom it goes to. */
export function recipientOf(content: string | null): string | null {
  return read(content)?.mail.to.email ?? null;
}

/** Whom another attempt goes to, copies of what bounced included, as they go on the wire; the main recipient first. */
export function openTo({ content, rest }: Pick<StoredDelivery, 'content' | 'rest'>): string[] {
  const queued = read(content);
  if (!queued) return [];
  if (!rest) return queued.envelope.to;
  return rest.after === null ? rest.to : [queued.mail.to.email, ...rest.to];
}

/** Whether it is a mail of the kind that one can unsubscribe from. */
export function canBeLeft(content: string | null): boolean {
  return (read(content)?.mail.headers ?? []).some(([name]) => name.toLowerCase() === 'list-unsubscribe');
}

/** Undefined where the content is none that we have stored. */
export function jobOf({ content }: { content: string | null }): DeliveryJob | undefined {
  const queued = read(content);
  if (!queued) return undefined;
  const terms: DeliveryTerms = {
    expiresAt: queued.expires_at === null ? null : Date.parse(queued.expires_at),
    onUncertain: queued.on_uncertain,
    address: queued.mail.to.email,
  };
  return { queued, terms };
}
