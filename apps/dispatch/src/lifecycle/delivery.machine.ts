import type { Attempt, CopiesLeft } from '@lettermill/events';
import {
  expiredReason,
  instant,
  isInTime,
  deferredRetry,
  uncertainRetryAt,
  DEFAULT_REASON,
  type RetryPolicy,
  type EndedAttempt,
} from './delivery.retry';
import {
  sameEndForAll,
  allGivenUp,
  copiesAfterLoneAttempt,
  copiesAfterJointAttempt,
  type CopiesResult,
} from './delivery.copies';
import {
  idsOf,
  isInDoubt,
  type AttemptEnd,
  type Delivery,
  type DeliveryReason,
  type DeliveryTerms,
  type Outcome,
} from './delivery';

/** What can happen to a claimed delivery. Times are milliseconds since the epoch. */
export type DeliveryEvent =
  /** It was claimed and is about to be sent. */
  | { type: 'begun'; at: number }
  /** The conversation is over, or (outcome `unknown`) the process that held it is gone. */
  | { type: 'ended'; startedAt: number; at: number; nextHop: string; end: AttemptEnd }
  /** The mail cannot be composed: there is nothing to send. */
  | { type: 'unsendable'; at: number; reason: DeliveryReason }
  /** Given back before anything was sent; this does not count as an attempt. */
  | { type: 'released'; dueAt: number };

export interface Decision {
  next: Delivery;
  /** To be recorded with the state and announced; null if there is nothing to report. */
  outcome: Outcome | null;
  /** It ended, but another attempt may be asked for: its content is kept for a while. */
  mayReturn?: boolean;
}

type EndedEvent = Extract<DeliveryEvent, { type: 'ended' }>;

/** The subject of a decision: a delivery, and the attempt that has ended, which `attempts` includes; undefined if there was no attempt. */
interface Case {
  delivery: Delivery;
  terms: DeliveryTerms;
  attempt?: Attempt;
}

/** An attempt that has ended: how, and what decides what follows. */
interface Ended extends Case, EndedAttempt {
  attempt: Attempt;
  end: AttemptEnd;
}

/**
 * The life of a delivery (docs/concepts.md, states). Only a delivery that is `sending` changes here: a waiting one is claimed by the
 * store's compare-and-set, and an ended one stays as it is, whatever arrives late.
 */
export function decide(delivery: Delivery, terms: DeliveryTerms, event: DeliveryEvent, policy: RetryPolicy): Decision {
  if (delivery.state !== 'sending') return { next: delivery, outcome: null };
  switch (event.type) {
    case 'begun':
      if (isInTime(terms, event.at)) return { next: delivery, outcome: null };
      return decideExpired(delivery, terms);
    case 'ended': {
      const counted = { ...delivery, attempts: delivery.attempts + 1, dueAt: null };
      const attempt = attemptOf(counted.attempts, event);
      return decideEnded({ delivery: counted, terms, attempt, end: event.end, at: event.at, policy });
    }
    case 'unsendable':
      return decideFailed({ delivery, terms }, event.reason);
    case 'released': {
      const state = delivery.attempts === 0 ? 'queued' : 'deferred';
      return { next: { ...delivery, state, dueAt: event.dueAt }, outcome: null };
    }
  }
}

/** A delivery whose time is over, whether it was claimed or still waits. */
export function decideExpired(delivery: Delivery, terms: DeliveryTerms): Decision {
  return decideFailed({ delivery: { ...delivery, dueAt: null }, terms }, expiredReason(terms));
}

function decideEnded(it: Ended): Decision {
  const { delivery, end } = it;
  if (delivery.rest?.after) {
    const copies = end.copies ?? sameEndForAll(delivery.rest.to, end);
    return decideCopies(it, copiesAfterLoneAttempt(it, copies), end.reason);
  }
  switch (end.outcome) {
    case 'sent':
      return decideSent(it);
    case 'bounced':
      return decideBounced(it);
    case 'failed':
      return decideFailed(it, end.reason ?? DEFAULT_REASON);
    case 'deferred':
      return decideDeferred(it, end.reason ?? DEFAULT_REASON);
    case 'unknown':
      return decideUncertain(it);
  }
}

function decideSent(it: Ended): Decision {
  const { delivery, attempt, end } = it;
  const left = copiesAfterJointAttempt(it, end.copies);
  const data = { ...idsOf(delivery), attempt, ...reportedCopies(left) };
  return decideSettled(it, 'sent', left, { type: 'MessageSent', data });
}

function decideBounced(it: Ended): Decision {
  const { delivery, attempt, end, terms } = it;
  const left = copiesAfterJointAttempt(it, end.copies);
  const why = { reason: end.reason ?? DEFAULT_REASON, address: terms.address, hard: end.hard };
  const data = { ...idsOf(delivery), attempt, ...reportedCopies(left), ...why };
  return decideSettled(it, 'bounced', left, { type: 'MessageBounced', data });
}

function decideDeferred(it: Ended, reason: DeliveryReason): Decision {
  const again = deferredRetry(it, reason);
  if ('reason' in again) return decideFailed(it, again.reason);
  const { delivery, attempt } = it;
  const data = { ...idsOf(delivery), attempt, reason, retry_at: instant(again.retryAt) };
  return {
    next: { ...delivery, state: 'deferred', dueAt: again.retryAt },
    outcome: { type: 'MessageDeferred', data },
  };
}

function decideUncertain(it: Ended): Decision {
  const { delivery, attempt, end } = it;
  const dueAt = uncertainRetryAt(it);
  const reason = end.reason ?? { code: 'uncertain', detail: end.detail ?? '' };
  const data = { ...idsOf(delivery), attempt, reason, retry_at: dueAt === null ? null : instant(dueAt) };
  const next: Delivery = { ...delivery, state: 'uncertain', dueAt, mayHaveArrived: true };
  return { next, outcome: { type: 'MessageUncertain', data } };
}

function decideFailed(it: Case, reason: DeliveryReason): Decision {
  const { delivery, attempt } = it;
  if (delivery.rest?.after) return decideCopies(it, allGivenUp(delivery.rest.to, reason), reason);
  const told = isInDoubt(delivery) ? { ...reason, detail: doubted(reason.detail) } : reason;
  const data = { ...idsOf(delivery), ...(attempt && { attempt }), reason: told };
  const mayReturn = attempt !== undefined && reason.code !== 'expired';
  return { next: { ...delivery, state: 'failed', dueAt: null }, outcome: { type: 'MessageFailed', data }, mayReturn };
}

function doubted(detail: string): string {
  return `${detail.replace(/\.?$/, '.')} An earlier attempt may have delivered it.`;
}

/** Reports what became of copies that were sent alone. The message keeps the state that its main recipient gave it. */
function decideCopies(it: Case, left: CopiesResult, reason: DeliveryReason | null): Decision {
  const { delivery, attempt } = it;
  const data = { ...idsOf(delivery), ...(attempt && { attempt }), reason, copies: left.told };
  return decideSettled(it, delivery.rest!.after!, left, { type: 'MessageCopiesTried', data });
}

/** The main recipient has the mail (`sent`) or never gets it (`bounced`). Copies that wait are sent alone from now on. */
function decideSettled(
  { delivery, terms }: Case,
  state: 'sent' | 'bounced',
  left: CopiesResult,
  outcome: Outcome,
): Decision {
  const { rest } = delivery;
  if (left.dueAt !== null) {
    const unsure = (left.unsure || rest?.unsure) && { unsure: true as const };
    const copies = { to: left.told.waiting, after: state, ...unsure };
    return { next: { ...delivery, state: 'deferred', dueAt: left.dueAt, rest: copies }, outcome };
  }
  if (state === 'sent') return { next: { ...delivery, state, ...(rest && { rest: null }) }, outcome };
  // A retry that somebody asks for must not go to copies that have the mail, or may have it by an attempt to all that ended unknown.
  const mainAlone = { to: [terms.address], after: null };
  const isMainAlone = rest?.after || left.reached || rest?.unsure || isInDoubt(delivery);
  return {
    next: { ...delivery, state, ...(isMainAlone && { rest: mainAlone }) },
    outcome,
    mayReturn: true,
  };
}

/** Undefined if all copies have the mail. */
function reportedCopies({ told, dueAt }: CopiesResult): { copies: CopiesLeft } | undefined {
  return dueAt === null && told.given_up.length === 0 ? undefined : { copies: told };
}

function attemptOf(number: number, { startedAt, at, nextHop, end }: EndedEvent): Attempt {
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
