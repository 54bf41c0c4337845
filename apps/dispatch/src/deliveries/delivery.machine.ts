import type { Attempt, CopiesLeft } from '@lettermill/events';
import { expired, instant, isInTime, putOff, repeatAt, UNSAID, type RetryPolicy, type Tried } from './delivery.again';
import { alike, givenUp, leftAlone, leftBeside, type Left } from './delivery.copies';
import type { AttemptEnd, Delivery, DeliveryReason, DeliveryTerms, Outcome } from './delivery';

export type { RetryPolicy };

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
interface Ended extends Case, Tried {
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
      return failed({ delivery, terms }, expired(terms));
    case 'ended': {
      const counted = { ...delivery, attempts: delivery.attempts + 1, dueAt: null };
      const attempt = attemptOf(counted.attempts, event);
      return ended({ delivery: counted, terms, attempt, end: event.end, at: event.at, policy });
    }
    case 'unsendable':
      return failed({ delivery, terms }, event.reason);
    case 'released': {
      const state = delivery.attempts === 0 ? 'queued' : 'deferred';
      return { next: { ...delivery, state, dueAt: event.dueAt }, outcome: null };
    }
  }
}

function ended(it: Ended): Decision {
  const { delivery, end } = it;
  if (delivery.rest?.after) {
    const copies = end.copies ?? alike(delivery.rest.to, end);
    return copiesTold(it, leftAlone(it, copies), end.reason);
  }
  switch (end.outcome) {
    case 'sent':
      return sent(it);
    case 'bounced':
      return bounced(it);
    case 'failed':
      return failed(it, end.reason ?? UNSAID);
    case 'deferred':
      return deferred(it, end.reason ?? UNSAID);
    case 'unknown':
      return uncertain(it);
  }
}

function sent(it: Ended): Decision {
  const { delivery, attempt, end } = it;
  const left = leftBeside(it, end.copies);
  const data = { ...aboutOf(delivery), attempt, ...copiesIn(left) };
  return settled(it, 'sent', left, { type: 'MessageSent', data });
}

function bounced(it: Ended): Decision {
  const { delivery, attempt, end, terms } = it;
  const left = leftBeside(it, end.copies);
  const why = { reason: end.reason ?? UNSAID, address: terms.address, hard: end.hard };
  const data = { ...aboutOf(delivery), attempt, ...copiesIn(left), ...why };
  return settled(it, 'bounced', left, { type: 'MessageBounced', data });
}

function deferred(it: Ended, reason: DeliveryReason): Decision {
  const again = putOff(it, reason);
  if ('reason' in again) return failed(it, again.reason);
  const { delivery, attempt } = it;
  const data = { ...aboutOf(delivery), attempt, reason, retry_at: instant(again.retryAt) };
  return {
    next: { ...delivery, state: 'deferred', dueAt: again.retryAt },
    outcome: { type: 'MessageDeferred', data },
  };
}

function uncertain(it: Ended): Decision {
  const { delivery, attempt, end } = it;
  const dueAt = repeatAt(it);
  const reason = end.reason ?? { code: 'uncertain', detail: end.detail ?? '' };
  const data = { ...aboutOf(delivery), attempt, reason, retry_at: dueAt === null ? null : instant(dueAt) };
  const next: Delivery = { ...delivery, state: 'uncertain', dueAt, mayHaveArrived: true };
  return { next, outcome: { type: 'MessageUncertain', data } };
}

function failed(it: Case, reason: DeliveryReason): Decision {
  const { delivery, attempt } = it;
  if (delivery.rest?.after) return copiesTold(it, givenUp(delivery.rest.to, reason), reason);
  const told = delivery.mayHaveArrived ? { ...reason, detail: doubted(reason.detail) } : reason;
  const data = { ...aboutOf(delivery), ...(attempt && { attempt }), reason: told };
  const mayReturn = attempt !== undefined && reason.code !== 'expired';
  return { next: { ...delivery, state: 'failed', dueAt: null }, outcome: { type: 'MessageFailed', data }, mayReturn };
}

function doubted(detail: string): string {
  return `${detail.replace(/\.?$/, '.')} An earlier attempt may have delivered it.`;
}

/** Reports what became of copies that were sent alone. The message keeps the state that its main recipient gave it. */
function copiesTold(it: Case, left: Left, reason: DeliveryReason | null): Decision {
  const { delivery, attempt } = it;
  const data = { ...aboutOf(delivery), ...(attempt && { attempt }), reason, copies: left.told };
  return settled(it, delivery.rest!.after!, left, { type: 'MessageCopiesTried', data });
}

/** The main recipient has the mail (`sent`) or never gets it (`bounced`). Copies that wait are sent alone from now on. */
function settled({ delivery, terms }: Case, state: 'sent' | 'bounced', left: Left, outcome: Outcome): Decision {
  const { rest } = delivery;
  if (left.dueAt !== null) {
    const copies = { to: left.told.waiting, after: state };
    const unsure = left.unsure && { mayHaveArrived: true as const };
    return { next: { ...delivery, state: 'deferred', dueAt: left.dueAt, rest: copies, ...unsure }, outcome };
  }
  if (state === 'sent') return { next: { ...delivery, state, ...(rest && { rest: null }) }, outcome };
  // A retry that somebody asks for must not go to anybody who has the mail.
  const mainAlone = { to: [terms.address], after: null };
  return {
    next: { ...delivery, state, ...((rest?.after || left.reached) && { rest: mainAlone }) },
    outcome,
    mayReturn: true,
  };
}

/** Undefined if all copies have the mail. */
function copiesIn({ told, dueAt }: Left): { copies: CopiesLeft } | undefined {
  return dueAt === null && told.given_up.length === 0 ? undefined : { copies: told };
}

function aboutOf({ accountId, messageId }: Delivery): { account_id: string; message_id: string } {
  return { account_id: accountId, message_id: messageId };
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
