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
}

/** The suppression of an address: its strongest cause, and when the recipient unsubscribed, whether that is the cause or kept beside it. */
export interface Suppressed extends Suppression {
  unsubscribedAt: number | null;
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
   * The first cause of an address stays. An unsubscription is kept beside any other cause; the other one is stronger, and is what the
   * address shows. Causes from before a release do not count again.
   */
  add(suppressions: Suppression[]): Promise<void>;
  /** Returns the suppressed ones among these addresses, in any order. */
  find(refs: AddressRef[]): Promise<Suppressed[]>;
  /** Newest first; entries of the same time by address, descending. With a reason, only those that show it. */
  list(accountId: string, limit: number, after: SuppressionPlace | null, reason?: string): Promise<Suppressed[]>;
  /**
   * Removes the cause that the address shows; an unsubscription kept beside it shows then. False if the address was not suppressed, or does
   * not show the reason that is to be removed.
   */
  release(ref: AddressRef, now: number, reason?: string): Promise<boolean>;
}

export const SUPPRESSIONS_STORE = Symbol('SuppressionsStore');
