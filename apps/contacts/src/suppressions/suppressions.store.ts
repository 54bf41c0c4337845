import type { MigratedStore } from '@lettermill/storage';

/** Why an address of an account gets no mail. `address` is in lower case, `at` in milliseconds since the epoch. */
export interface Suppression {
  accountId: string;
  address: string;
  /** Code of the bounce that caused it, `complained`, `unsubscribed` or `manual`. */
  reason: string;
  /** The message that bounced, was reported or was unsubscribed from; `NO_MESSAGE` if an API call was the cause. */
  messageId: string;
  at: number;
  /** The event that tells of the cause; undefined if an API call was the cause. Stores remember it, and do not return it. */
  eventId?: string;
}

/** Events that a store remembers of an address: the same one does not count again, even if it is dated anew. */
export const MAX_REMEMBERED_EVENTS = 10;

/**
 * The suppression of an address: its strongest cause, and when the recipient unsubscribed and somebody suppressed it by hand, whether that
 * is the cause or kept behind it.
 */
export interface Suppressed extends Suppression {
  unsubscribedAt: number | null;
  manualAt: number | null;
}

export interface AddressRef {
  accountId: string;
  address: string;
}

/** The page begins after this entry. */
export interface SuppressionPlace {
  at: number;
  address: string;
}

export interface SuppressionsStore extends MigratedStore {
  /**
   * An address shows its strongest cause (`strengthOf`), of equally strong ones the first. A suppression by hand and an unsubscription are
   * kept behind a stronger one. Causes from before a release do not count again, nor does an event that the address remembers; but a
   * complaint from before a release of another reason does.
   */
  add(suppressions: Suppression[]): Promise<void>;
  /** Returns the suppressed ones among these addresses, in any order. */
  find(refs: AddressRef[]): Promise<Suppressed[]>;
  /** Newest first; entries of the same time by address, descending. With a reason, only those that show it. */
  list(accountId: string, limit: number, after: SuppressionPlace | null, reason?: string): Promise<Suppressed[]>;
  /**
   * Removes the cause that the address shows; the strongest of those kept behind it shows then. False if the address was not suppressed,
   * or does not show the reason that is to be removed. Only without a reason, or if they are the reason, it also removes complaints from
   * before that are yet to come.
   */
  release(ref: AddressRef, now: number, reason?: string): Promise<boolean>;
}

export const SUPPRESSIONS_STORE = Symbol('SuppressionsStore');
