import type { LostCopy } from '@lettermill/events';
import type { AnswerCode } from '@lettermill/problems';
import { addressMatcher } from '../bounces/addresses';
import {
  DOUBT_BEFORE_BOUNCE,
  idsOf,
  isInDoubt,
  reportedState,
  type Delivery,
  type DeliveryState,
  type DeliveryTerms,
  type OrderReport,
} from '../lifecycle/delivery';
import { expiredReason, isInTime } from '../lifecycle/delivery.retry';

export interface Refusal {
  code: AnswerCode;
  detail: string;
}

/** The result of an order: it is refused, the delivery already is as asked, or it changes. */
export type OrderVerdict = { refused: Refusal } | { stands: Delivery } | { next: Delivery; told: OrderReport };

/** The most attempts anybody may ask for: each is part of the message's record, which must stay readable. */
export const MAX_ATTEMPTS = 500;

const BEING_SENT = 'It is being sent at this moment.';
const ENDED_DETAILS: Record<'sent' | 'bounced' | 'failed', string> = {
  sent: 'It was sent: the next hop has it.',
  bounced: 'It bounced: it was refused permanently.',
  failed: 'It has failed.',
};

/**
 * Ends a delivery that waits. A message that may have arrived is not sent again; whether it arrived stays unknown. One that was sent or
 * bounced has ended, even while its copies are still tried.
 */
export function decideCancel(delivery: Delivery): OrderVerdict {
  const state = reportedState(delivery);
  switch (state) {
    case 'cancelled':
      return { stands: delivery };
    case 'sending':
      return { refused: { code: 'message_not_cancellable', detail: `${BEING_SENT} Its state is sending.` } };
    case 'sent':
    case 'bounced':
    case 'failed': {
      const detail = `${ENDED_DETAILS[state]} Its state is ${state}.`;
      return { refused: { code: 'message_not_cancellable', detail } };
    }
    case 'queued':
    case 'deferred':
    case 'uncertain': {
      const detail =
        state === 'uncertain' || isInDoubt(delivery)
          ? 'Cancelled on request; an earlier attempt may have delivered it.'
          : state === 'queued'
            ? 'Cancelled on request before it was sent.'
            : 'Cancelled on request; it is not tried again.';
      const data = { ...idsOf(delivery), reason: { code: 'cancelled' as const, detail } };
      return { next: { ...delivery, state: 'cancelled', dueAt: null }, told: { type: 'MessageCancelled', data } };
    }
  }
}

/** Somebody who retries a bounced mail knows that it was refused: a bounce report about earlier attempts must not end the new one. */
function arrivalDoubt(delivery: Delivery): Pick<Delivery, 'mayHaveArrived' | 'mayHaveArrivedBefore'> {
  if (reportedState(delivery) === 'bounced') return isInDoubt(delivery) ? DOUBT_BEFORE_BOUNCE : {};
  return delivery.state === 'uncertain' ? { mayHaveArrived: true } : {};
}

/** Nothing is noted if an attempt that includes the main recipient would have followed by itself. */
function requestedAttempt({ attempts, dueAt, rest }: Delivery): Pick<Delivery, 'requestedAttempt'> {
  return dueAt === null || rest?.after ? { requestedAttempt: attempts + 1 } : {};
}

/** A request for another attempt. */
export interface RetryRequest {
  now: number;
  /** The recipients it would go to. */
  to: string[];
  /** Copies that are suppressed by now; after an attempt, the delivery may spell their addresses differently. */
  suppressed: LostCopy[];
}

/**
 * Makes another attempt due now. `terms` is undefined if there is nothing left to send. The attempt goes to nobody who has the mail; it
 * goes to copies that still wait, except those that are suppressed by now, which are dropped.
 */
export function decideRetry(delivery: Delivery, terms: DeliveryTerms | undefined, retry: RetryRequest): OrderVerdict {
  const state = reportedState(delivery);
  const refused = (detail: string, code: AnswerCode = 'message_not_retryable'): OrderVerdict => ({
    refused: { code, detail: `${detail} Its state is ${state}.` },
  });
  switch (state) {
    case 'sending':
      return refused(BEING_SENT);
    case 'sent':
      return refused(ENDED_DETAILS.sent);
    case 'cancelled':
      return refused('It was cancelled.');
    case 'queued':
    case 'deferred':
    case 'uncertain':
    case 'bounced':
    case 'failed': {
      if (delivery.state === 'sending') return refused('Its copies are being sent at this moment.');
      const { now, to } = retry;
      const isAsked = addressMatcher(to);
      const lost = retry.suppressed.filter(({ address }) => isAsked(address));
      if (isDue(delivery, now) && lost.length === 0) return { stands: delivery };
      if (!terms) return refused('Its mail is no longer stored.', 'message_content_gone');
      if (!isInTime(terms, now)) return refused(expiredReason(terms).detail);
      if (delivery.attempts >= MAX_ATTEMPTS)
        return refused(`It was tried ${delivery.attempts} times, which is the limit.`);
      return retried(delivery, state, retry, lost);
    }
  }
}

type RetriableState = Exclude<DeliveryState, 'sending' | 'sent' | 'cancelled'>;

/** Whether an attempt that includes the recipient is due anyway. */
function isDue({ dueAt, rest }: Delivery, now: number): boolean {
  return !rest?.after && dueAt !== null && dueAt <= now;
}

function retried(delivery: Delivery, was: RetriableState, { now, to }: RetryRequest, lost: LostCopy[]): OrderVerdict {
  const about = { ...idsOf(delivery), attempt: delivery.attempts + 1, was };
  const data = { ...about, ...(lost.length > 0 && { suppressed_copies: lost }) };
  const isLost = addressMatcher(lost.map(({ address }) => address));
  const others = to.filter((one) => !isLost(one));
  const { rest } = delivery;
  // The doubt about copies that wait is kept apart from that about the main recipient.
  const isUnsure = rest?.unsure || (rest?.after && delivery.mayHaveArrived);
  const changed = (rest?.after || lost.length > 0) && {
    rest: { to: others, after: null, ...(isUnsure && { unsure: true as const }) },
  };
  const state = was === 'queued' ? was : 'deferred';
  const noted = { ...arrivalDoubt(delivery), ...requestedAttempt(delivery) };
  const next: Delivery = { ...delivery, state, dueAt: now, ...changed, ...noted };
  return { next, told: { type: 'MessageRetried', data } };
}
