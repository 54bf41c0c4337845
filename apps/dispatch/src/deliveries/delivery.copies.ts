import type { AttemptOutcome, CopiesLeft } from '@lettermill/events';
import { instant, putOff, repeatAt, UNSAID, type Again, type RetryPolicy } from './delivery.again';
import type { AttemptEnd, CopyEnd, Delivery, DeliveryReason, DeliveryTerms, Rest } from './delivery';

/** What an attempt left of the copies, as it is told, and when the next one is. */
export interface Left {
  told: CopiesLeft;
  dueAt: number | null;
}

export interface Moment {
  at: number;
  policy: RetryPolicy;
}

/**
 * What becomes of each copy: put off as the message itself would be, given up, or neither, where the hop has it. One that may have
 * arrived is sent again as the campaign's `on_uncertain` says, but only with `repeats`; without, it is given up.
 */
export function copiesLeft(
  copies: CopyEnd[],
  next: Delivery,
  terms: DeliveryTerms,
  { at, policy }: Moment,
  repeats: boolean,
): Left {
  const waiting: string[] = [];
  const given_up: CopiesLeft['given_up'] = [];
  let dueAt: number | null = null;
  const againFor = ({ outcome, reason }: { outcome: AttemptOutcome; reason: DeliveryReason }): Again => {
    if (outcome === 'deferred') return putOff(next, terms, at, policy, reason);
    const retryAt = outcome === 'unknown' && repeats ? repeatAt(next, terms, at, policy) : null;
    return retryAt === null ? { reason } : { retryAt };
  };
  for (const { address, outcome, reason } of copies) {
    if (outcome === 'sent') continue;
    const again = againFor({ outcome, reason: reason ?? UNSAID });
    if ('reason' in again) given_up.push({ address, ...again.reason });
    else {
      waiting.push(address);
      dueAt = Math.min(dueAt ?? again.retryAt, again.retryAt);
    }
  }
  return { told: { waiting, given_up, retry_at: dueAt === null ? null : instant(dueAt) }, dueAt };
}

/** How a delivery goes on whose main recipient has `after`: to the copies that wait, or not at all. */
export function withCopies(next: Delivery, after: 'sent' | 'bounced', left: Left | undefined): Delivery {
  if (!left || left.dueAt === null)
    return { ...next, state: after, ...(after === 'sent' && next.rest && { rest: null }) };
  return { ...next, state: 'deferred', dueAt: left.dueAt, rest: { to: left.told.waiting, after } };
}

/** Nobody who has the mail is written to when somebody asks for another attempt of what bounced. */
export function mainAlone({ address }: DeliveryTerms): Rest {
  return { to: [address], after: null };
}

/** Whether some have the mail, or may have it. */
export function reached(copies: CopyEnd[]): boolean {
  return copies.some(({ outcome }) => outcome === 'sent' || outcome === 'unknown');
}

/** Every copy ended as the attempt did. */
export function alike(to: string[], { outcome, reason }: Pick<AttemptEnd, 'outcome' | 'reason'>): CopyEnd[] {
  return to.map((address) => ({ address, outcome, reason }));
}

/** All copies are given up, without another attempt. */
export function givenUp(to: string[], reason: DeliveryReason): Left {
  return {
    told: { waiting: [], given_up: to.map((address) => ({ address, ...reason })), retry_at: null },
    dueAt: null,
  };
}
