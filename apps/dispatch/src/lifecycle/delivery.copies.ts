import type { CopiesLeft } from '@lettermill/events';
import {
  instant,
  deferredRetry,
  uncertainRetryAt,
  DEFAULT_REASON,
  type RetryDecision,
  type EndedAttempt,
} from './delivery.retry';
import type { AttemptEnd, CopyEnd, DeliveryReason } from './delivery';

/** What an attempt leaves to be done for the copies. */
export interface CopiesResult {
  /** As the event reports it. */
  told: CopiesLeft;
  /** When the waiting copies are tried again. */
  dueAt: number | null;
  /** Whether some copies have the mail now, or may have it. */
  reached: boolean;
  /** Whether some of the waiting copies may have it. */
  unsure: boolean;
}

/** For a mail without copies. */
const NO_COPIES: CopiesResult = {
  told: { waiting: [], given_up: [], retry_at: null },
  dueAt: null,
  reached: false,
  unsure: false,
};

/**
 * For copies sent together with the main recipient, who has the mail or never gets it. A copy that may have arrived is not sent again: no
 * attempt with outcome `unknown` would explain the duplicate.
 */
export function copiesAfterJointAttempt(tried: EndedAttempt, copies: CopyEnd[] | undefined): CopiesResult {
  if (!copies) return NO_COPIES;
  return copiesResult(copies, (outcome, reason) =>
    outcome === 'deferred' ? deferredRetry(tried, reason) : { reason },
  );
}

/** For copies sent alone. One that may have arrived is sent again if the campaign's `on_uncertain` says so. */
export function copiesAfterLoneAttempt(tried: EndedAttempt, copies: CopyEnd[]): CopiesResult {
  return copiesResult(copies, (outcome, reason) => {
    if (outcome === 'deferred') return deferredRetry(tried, reason);
    const retryAt = outcome === 'unknown' ? uncertainRetryAt(tried) : null;
    return retryAt === null ? { reason } : { retryAt };
  });
}

/** All copies are given up, without another attempt. */
export function allGivenUp(to: string[], reason: DeliveryReason): CopiesResult {
  const given_up = to.map((address) => ({ address, ...reason }));
  return { ...NO_COPIES, told: { ...NO_COPIES.told, given_up } };
}

/** Every copy ended as the attempt did. */
export function sameEndForAll(to: string[], { outcome, reason }: Pick<AttemptEnd, 'outcome' | 'reason'>): CopyEnd[] {
  return to.map((address) => ({ address, outcome, reason }));
}

/** Each copy that the hop has not accepted waits until the time that `retryFor` returns, or is given up. */
function copiesResult(
  copies: CopyEnd[],
  retryFor: (outcome: CopyEnd['outcome'], reason: DeliveryReason) => RetryDecision,
): CopiesResult {
  const waiting: string[] = [];
  const given_up: CopiesLeft['given_up'] = [];
  let dueAt: number | null = null;
  let unsure = false;
  const reached = copies.some(({ outcome }) => outcome === 'sent' || outcome === 'unknown');
  for (const { address, outcome, reason, hard } of copies) {
    if (outcome === 'sent') continue;
    const again = retryFor(outcome, reason ?? DEFAULT_REASON);
    if ('reason' in again) given_up.push({ address, ...again.reason, ...(hard && { hard }) });
    else {
      waiting.push(address);
      unsure ||= outcome === 'unknown';
      dueAt = Math.min(dueAt ?? again.retryAt, again.retryAt);
    }
  }
  return { told: { waiting, given_up, retry_at: dueAt === null ? null : instant(dueAt) }, dueAt, reached, unsure };
}
