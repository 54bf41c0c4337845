import type { MigratedStore } from '@lettermill/storage';

/** Why an address of an account gets no more mail. `address` is in lower case, `at` in milliseconds since the epoch. */
export interface Suppression {
  accountId: string;
  address: string;
  /** Code of the bounce that caused it, `complained`, `unsubscribed` or `manual`. */
  reason: string;
  /** The message that bounced, or that somebody answered so; `NO_MESSAGE` where a call said so. */
  messageId: string;
  at: number;
}

/** What is kept of an address: the cause that holds back most, and beside it, or as it, whether somebody unsubscribed. */
export interface Suppressed extends Suppression {
  unsubscribedAt: number | null;
}

export interface AddressRef {
  accountId: string;
  address: string;
}

/** Where a page begins: after this entry. */
export interface SuppressionPlace {
  at: number;
  address: string;
}

export interface SuppressionsStore extends MigratedStore {
  /**
   * The first cause of an address stays, and an unsubscription stays beside any other: that one holds back more, and is what the address shows. A cause
   * from before a release does not count again.
   */
  add(suppressions: Suppression[]): Promise<void>;
  /** Of these addresses the suppressed ones; in any order. */
  find(refs: AddressRef[]): Promise<Suppressed[]>;
  /** Newest first; of the same time by address, the last first. With a reason, those that show it. */
  list(accountId: string, limit: number, after: SuppressionPlace | null, reason?: string): Promise<Suppressed[]>;
  /** Takes off what the address shows; an unsubscription that stands beside it shows then. False where the address was not suppressed. */
  release(ref: AddressRef, now: number): Promise<boolean>;
}

export const SUPPRESSIONS_STORE = Symbol('SuppressionsStore');
