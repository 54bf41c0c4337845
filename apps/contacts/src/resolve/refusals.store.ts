import type { MigratedStore } from '@lettermill/storage';
import type { Refusal } from './contact.resolve';

export interface MessageRef {
  accountId: string;
  messageId: string;
}

export type StoredRefusal = MessageRef & Refusal;

/**
 * Messages that ended here, or went on with a note that their recipient has unsubscribed (code `unsubscribed`), written before anything is
 * said of them: when their record is read again, the same is said, although the contact may have an address by then or a suppression may
 * be gone.
 */
export interface RefusalsStore extends MigratedStore {
  /** Of these messages the ones that were refused; in any order. */
  load(messages: MessageRef[]): Promise<StoredRefusal[]>;
  /** The first refusal of a message stays. */
  record(refusals: StoredRefusal[], now: number): Promise<void>;
  /** Forgets some of those that were recorded before `before`, `limit` at most; true: there may be more. */
  sweep(before: number, limit: number): Promise<boolean>;
}

export const REFUSALS_STORE = Symbol('RefusalsStore');
