import type { MigratedStore } from '@lettermill/storage';
import type { Refusal } from './contact.resolve';

export interface MessageRef {
  accountId: string;
  messageId: string;
}

export type StoredRefusal = MessageRef & Refusal;

/**
 * Messages that ended here, or that continued with the note that their recipient had unsubscribed (code `unsubscribed`). They are stored
 * before their event is published, so that their record has the same outcome when it is read again, even if the contact has got an address
 * or a suppression was removed meanwhile.
 */
export interface RefusalsStore extends MigratedStore {
  /** Returns the refusals of these messages, in any order. */
  load(messages: MessageRef[]): Promise<StoredRefusal[]>;
  /** If a message has a refusal already, that one stays. */
  record(refusals: StoredRefusal[], now: number): Promise<void>;
  /** Deletes at most `limit` refusals recorded before `before`; true if there may be more. */
  sweep(before: number, limit: number): Promise<boolean>;
}

export const REFUSALS_STORE = Symbol('RefusalsStore');
