import type { Attempt } from '@lettermill/events';
import { retryDelay } from './backoff';
import type { AttemptEnd, Delivery, DeliveryReason, DeliveryTerms, Outcome } from './delivery';

/** What can befall a claimed delivery. Times are milliseconds since the epoch. */
export type DeliveryEvent =
  /** It was claimed and is about to be sent. */
  | { type: 'begun'; at: number }
  /** The conversation is over, or (outcome `unknown`) the process that led it is gone. */
  | { type: 'ended'; startedAt: number; at: number; nextHop: string; end: AttemptEnd }
  /** The mail can't be made: there is nothing to send. */
  | { type: 'unsendable'; at: number; reason: DeliveryReason }
  /** Given back before anything was sent; it counts as no attempt. */
  | { type: 'released'; dueAt: number };

export interface RetryPolicy {
  /** Seconds before the 2nd, 3rd, ... attempt. */
  delays: readonly number[];
  /** In [0, 1), for the jitter. */
  random: number;
}

export interface Decision {
  next: Delivery;
  /** To be recorded with the state and announced; null when there is nothing to tell. */
  outcome: Outcome | null;
  /** It ended, but another attempt may be asked for: its content is kept for a while. */
  mayReturn?: boolean;
}

type Ended = Extract<DeliveryEvent, { type: 'ended' }>;

const instant = (at: number): string => new Date(at).toISOString();

/**
 * The life of a delivery (design 3). Only a delivery that is `sending` moves here: one that waits is claimed by the store's
 * compare-and-set, one that has ended stays as it is whatever comes late.
 */
export function decide(delivery: Delivery, terms: DeliveryTerms, event: DeliveryEvent, policy: RetryPolicy): Decision {
  if (delivery.state !== 'sending') return { next: delivery, outcome: null };
  switch (event.type) {
    case 'begun':
      return begun(delivery, terms, event.at);
    case 'ended':
      return ended(delivery, terms, event, policy);
    case 'unsendable':
      return failed(delivery, event.reason);
    case 'released': {
      const state = delivery.attempts === 0 ? 'queued' : 'deferred';
      return { next: { ...delivery, state, dueAt: event.dueAt }, outcome: null };
    }
  }
}

function begun(delivery: Delivery, { expiresAt }: DeliveryTerms, at: number): Decision {
  if (expiresAt === null || at < expiresAt) return { next: delivery, outcome: null };
  return failed(delivery, { code: 'expired', detail: `It was to be sent before ${instant(expiresAt)}.` });
}

function ended(delivery: Delivery, terms: DeliveryTerms, event: Ended, policy: RetryPolicy): Decision {
  const { end } = event;
  const attempted = { ...delivery, attempts: delivery.attempts + 1, dueAt: null };
  const attempt = attemptOf(attempted.attempts, event);
  const about = { account_id: delivery.accountId, message_id: delivery.messageId };
  const reason = end.reason ?? { code: 'refused', detail: '' };
  switch (end.outcome) {
    case 'sent':
      return { next: { ...attempted, state: 'sent' }, outcome: { type: 'MessageSent', data: { ...about, attempt } } };
    case 'bounced': {
      const data = { ...about, attempt, reason, address: terms.address, hard: end.hard };
      const outcome = { type: 'MessageBounced', data } as const;
      return { next: { ...attempted, state: 'bounced' }, outcome, mayReturn: true };
    }
    case 'failed':
      return failed(attempted, reason, attempt);
    case 'deferred':
      return deferred(attempted, terms, event, attempt, policy);
    case 'unknown':
      return uncertain(attempted, terms, event, attempt, policy);
  }
}

function deferred(next: Delivery, terms: DeliveryTerms, event: Ended, attempt: Attempt, policy: RetryPolicy): Decision {
  const reason = event.end.reason ?? { code: 'refused', detail: '' };
  const delay = retryDelay(policy.delays, next.attempts, policy.random);
  if (delay === undefined) {
    const detail = `${next.attempts} attempts failed, the last one: ${reason.detail}`;
    return failed(next, { code: 'attempts_used_up', detail }, attempt);
  }
  const retryAt = event.at + delay;
  if (terms.expiresAt !== null && retryAt >= terms.expiresAt) {
    const detail = `It was to be sent before ${instant(terms.expiresAt)}; the last attempt: ${reason.detail}`;
    return failed(next, { code: 'expired', detail }, attempt);
  }
  const data = { ...aboutOf(next), attempt, reason, retry_at: instant(retryAt) };
  return { next: { ...next, state: 'deferred', dueAt: retryAt }, outcome: { type: 'MessageDeferred', data } };
}

/** It may have arrived: sent again only where the campaign allows it, a retry is left and it is still in time. */
function uncertain(
  next: Delivery,
  terms: DeliveryTerms,
  event: Ended,
  attempt: Attempt,
  policy: RetryPolicy,
): Decision {
  const left = next.attempts <= policy.delays.length;
  const delay = terms.onUncertain === 'retry' && left ? retryDelay(policy.delays, 1, policy.random) : undefined;
  const retryAt = delay === undefined ? null : event.at + delay;
  const inTime = retryAt !== null && (terms.expiresAt === null || retryAt < terms.expiresAt);
  const dueAt = inTime ? retryAt : null;
  const reason = event.end.reason ?? { code: 'uncertain', detail: event.end.detail ?? '' };
  const data = { ...aboutOf(next), attempt, reason, retry_at: dueAt === null ? null : instant(dueAt) };
  return { next: { ...next, state: 'uncertain', dueAt }, outcome: { type: 'MessageUncertain', data } };
}

function failed(delivery: Delivery, reason: DeliveryReason, attempt?: Attempt): Decision {
  const data = { ...aboutOf(delivery), ...(attempt ? { attempt } : {}), reason };
  const mayReturn = attempt !== undefined && reason.code !== 'expired';
  return { next: { ...delivery, state: 'failed', dueAt: null }, outcome: { type: 'MessageFailed', data }, mayReturn };
}

function aboutOf({ accountId, messageId }: Delivery): { account_id: string; message_id: string } {
  return { account_id: accountId, message_id: messageId };
}

function attemptOf(number: number, { startedAt, at, nextHop, end }: Ended): Attempt {
  return {
    number,
    at: instant(startedAt),
    ended_at: instant(at),
    next_hop: nextHop,
    ...(end.peer && { remote_address: end.peer.remoteAddress, tls: end.peer.tls }),
    outcome: end.outcome,
    reply: end.reply,
    ...(end.recipients && { recipients: end.recipients }),
    ...(end.detail ? { detail: end.detail } : {}),
  };
}
