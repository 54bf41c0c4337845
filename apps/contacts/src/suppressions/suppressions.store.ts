import type { MigratedStore } from '@lettermill/storage';

/** An address of an account that gets no more mail. `address` is in lower case, `at` in milliseconds since the epoch. */
export interface Suppression {
  accountId: string;
  address: string;
  /** Code of the bounce that caused it. */
  reason: string;
  /** The message that bounced. */
  messageId: string;
  at: number;
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
  /** An address that is suppressed stays as it is, unless it had only unsubscribed: any other cause holds back more; one that was released is suppressed by a later bounce only. */
  add(suppressions: Suppression[]): Promise<void>;
  /** Of these addresses the suppressed ones; in any order. */
  find(refs: AddressRef[]): Promise<Suppression[]>;
  /** Newest first; of the same time by address, the last first. */
  list(accountId: string, limit: number, after: SuppressionPlace | null): Promise<Suppression[]>;
  /** False where the address was not suppressed. */
  release(ref: AddressRef, now: number): Promise<boolean>;
}

export const SUPPRESSIONS_STORE = Symbol('SuppressionsStore');
