import type { Attempt, CopiesLeft, Reason } from '@lettermill/events';
import { expired, instant, putOff, repeatAt, UNSAID, type RetryPolicy } from './delivery.again';
import { alike, copiesLeft, givenUp, mainAlone, reached, withCopies, type Left } from './delivery.copies';
import type { AttemptEnd, Delivery, DeliveryReason, DeliveryTerms, Outcome } from './delivery';

export type { RetryPolicy };

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

export interface Decision {
  next: Delivery;
  /** To be recorded with the state and announced; null when there is nothing to tell. */
  outcome: Outcome | null;
  /** It ended, but another attempt may be asked for: its content is kept for a while. */
  mayReturn?: boolean;
}

type Ended = Extract<DeliveryEvent, { type: 'ended' }>;

/**
 * The life of a delivery (docs/concepts.md, states). Only a delivery that is `sending` moves here: one that waits is claimed by the store's
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
      return failed(delivery, terms, event.reason);
    case 'released': {
      const state = delivery.attempts === 0 ? 'queued' : 'deferred';
      return { next: { ...delivery, state, dueAt: event.dueAt }, outcome: null };
    }
  }
}

function begun(delivery: Delivery, terms: DeliveryTerms, at: number): Decision {
  if (terms.expiresAt === null || at < terms.expiresAt) return { next: delivery, outcome: null };
  return failed(delivery, terms, expired(terms));
}

function ended(delivery: Delivery, terms: DeliveryTerms, event: Ended, policy: RetryPolicy): Decision {
  const { end } = event;
  const attempted = { ...delivery, attempts: delivery.attempts + 1, dueAt: null };
  const attempt = attemptOf(attempted.attempts, event);
  if (delivery.rest?.after) return copiesTried(attempted, terms, event, attempt, policy);
  const reason = end.reason ?? UNSAID;
  switch (end.outcome) {
    case 'sent':
    case 'bounced':
      return decided(attempted, terms, event, attempt, policy);
    case 'failed':
      return failed(attempted, terms, reason, attempt);
    case 'deferred':
      return deferred(attempted, terms, event, attempt, policy);
    case 'unknown': {
      const dueAt = repeatAt(attempted, terms, event.at, policy);
      const why = end.reason ?? { code: 'uncertain', detail: end.detail ?? '' };
      const data = { ...aboutOf(delivery), attempt, reason: why, retry_at: dueAt === null ? null : instant(dueAt) };
      return { next: { ...attempted, state: 'uncertain', dueAt }, outcome: { type: 'MessageUncertain', data } };
    }
  }
}

/** The main recipient has it, or never gets it; copies that were put off go on alone. */
function decided(next: Delivery, terms: DeliveryTerms, event: Ended, attempt: Attempt, policy: RetryPolicy): Decision {
  const { outcome, reason, hard, copies } = event.end;
  // A copy that may have arrived is not sent again: no attempt of outcome `unknown` would explain the second one.
  const left = copies && copiesLeft(copies, next, terms, { at: event.at, policy }, false);
  const anyLeft = left && (left.dueAt !== null || left.told.given_up.length > 0);
  const data = { ...aboutOf(next), attempt, ...(anyLeft && { copies: left.told }) };
  if (outcome === 'sent') return { next: withCopies(next, 'sent', left), outcome: { type: 'MessageSent', data } };
  const bounced = { ...data, reason: reason ?? UNSAID, address: terms.address, hard };
  return {
    ...bouncedWith(next, terms, left, copies !== undefined && reached(copies)),
    outcome: { type: 'MessageBounced', data: bounced },
  };
}

/** Somebody may ask for another attempt of it, which goes to nobody who has the mail. */
function bouncedWith(
  next: Delivery,
  terms: DeliveryTerms,
  left: Left | undefined,
  someHaveIt: boolean,
): Omit<Decision, 'outcome'> {
  const after = withCopies(next, 'bounced', left);
  if (after.dueAt !== null) return { next: after };
  return { next: someHaveIt ? { ...after, rest: mainAlone(terms) } : after, mayReturn: true };
}

/** An attempt for copies alone is over. */
function copiesTried(
  next: Delivery,
  terms: DeliveryTerms,
  event: Ended,
  attempt: Attempt,
  policy: RetryPolicy,
): Decision {
  const copies = event.end.copies ?? alike(next.rest!.to, event.end);
  const left = copiesLeft(copies, next, terms, { at: event.at, policy }, true);
  return copiesTold(next, terms, left, event.end.reason, attempt);
}

/** The state of the message stays what its main recipient made it. */
function copiesTold(
  next: Delivery,
  terms: DeliveryTerms,
  left: Left,
  reason: Reason | null,
  attempt?: Attempt,
): Decision {
  const { after } = next.rest!;
  const data: { copies: CopiesLeft; reason: Reason | null } = { reason, copies: left.told };
  const outcome: Outcome = {
    type: 'MessageCopiesTried',
    data: { ...aboutOf(next), ...(attempt && { attempt }), ...data },
  };
  if (after === 'bounced') return { ...bouncedWith(next, terms, left, true), outcome };
  return { next: withCopies(next, 'sent', left), outcome };
}

function deferred(next: Delivery, terms: DeliveryTerms, event: Ended, attempt: Attempt, policy: RetryPolicy): Decision {
  const reason = event.end.reason ?? UNSAID;
  const again = putOff(next, terms, event.at, policy, reason);
  if ('reason' in again) return failed(next, terms, again.reason, attempt);
  const { retryAt } = again;
  const data = { ...aboutOf(next), attempt, reason, retry_at: instant(retryAt) };
  return { next: { ...next, state: 'deferred', dueAt: retryAt }, outcome: { type: 'MessageDeferred', data } };
}

function failed(delivery: Delivery, terms: DeliveryTerms, reason: DeliveryReason, attempt?: Attempt): Decision {
  if (delivery.rest?.after) return copiesTold(delivery, terms, givenUp(delivery.rest.to, reason), reason);
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
