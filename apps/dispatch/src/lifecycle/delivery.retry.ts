import { retryDelay } from './backoff';
import type { Delivery, DeliveryReason, DeliveryTerms } from './delivery';

export interface RetryPolicy {
  /** Seconds before the 2nd, 3rd, ... attempt. */
  delays: readonly number[];
  /** In [0, 1), for the jitter. */
  random: number;
}

/** What decides whether another attempt follows the one that has ended. */
export interface EndedAttempt {
  /** Its `attempts` include that attempt. */
  delivery: Delivery;
  terms: DeliveryTerms;
  /** When the attempt ended. */
  at: number;
  policy: RetryPolicy;
}

/** When there is another attempt, or why there is none. */
export type RetryDecision = { retryAt: number } | { reason: DeliveryReason };

/** For an attempt that ended without a reason. */
export const DEFAULT_REASON: DeliveryReason = { code: 'refused', detail: '' };

export const instant = (at: number): string => new Date(at).toISOString();

export function isInTime({ expiresAt }: DeliveryTerms, at: number): boolean {
  return expiresAt === null || at < expiresAt;
}

export function expiredReason({ expiresAt }: DeliveryTerms, lastAttempt = ''): DeliveryReason {
  return {
    code: 'expired',
    detail: `It had to be sent before ${instant(expiresAt!)}${lastAttempt ? `; ${lastAttempt}` : '.'}`,
  };
}

/** When a deferred recipient is tried again, or why it is not. */
export function deferredRetry(
  { delivery: { attempts }, terms, at, policy }: EndedAttempt,
  { detail }: DeliveryReason,
): RetryDecision {
  const delay = retryDelay(policy.delays, attempts, policy.random);
  if (delay === undefined) {
    return {
      reason: { code: 'attempts_used_up', detail: `${attempts} attempts failed, the last one: ${detail}` },
    };
  }
  const retryAt = at + delay;
  if (isInTime(terms, retryAt)) return { retryAt };
  return { reason: expiredReason(terms, `the last attempt: ${detail}`) };
}

/** When a mail that may have arrived is sent again; null unless the campaign allows it, a retry is left and it is still in time. */
export function uncertainRetryAt({ delivery: { attempts }, terms, at, policy }: EndedAttempt): number | null {
  const left = attempts <= policy.delays.length;
  const delay = terms.onUncertain === 'retry' && left ? retryDelay(policy.delays, 1, policy.random) : undefined;
  if (delay === undefined) return null;
  const retryAt = at + delay;
  return isInTime(terms, retryAt) ? retryAt : null;
}
