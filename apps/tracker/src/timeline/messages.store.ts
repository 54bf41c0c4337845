import type { MessageState } from '@lettermill/events';
import type { MigratedStore } from '@lettermill/storage';
import type { MessageChange, MessageRecord, MessageRef } from './message.record';

/** Every condition that is set must hold. */
export interface MessageFilter {
  externalMessageId?: string;
  requestId?: string;
  /** Any of these terms (`contactTerms`). */
  contact?: string[];
  /** Slug or id. */
  campaign?: string;
  /** Any of these, each named once. */
  states?: MessageState[];
  /** Code of the reason that it has now. */
  reason?: string;
  /** Accepted at this time or later; milliseconds since the epoch. */
  from?: number;
  /** Accepted at this time or earlier. */
  to?: number;
}

export interface MessagePage {
  limit: number;
  /** Ids smaller than this one only. */
  before?: string;
}

/** Messages of all accounts, with what they are found by. */
export interface MessagesStore extends MigratedStore {
  /** Those of the messages that are stored; in any order. */
  load(refs: MessageRef[]): Promise<MessageRecord[]>;
  /**
   * Saves each change whose `revision` is still the one stored. Answers those not saved: they are to be loaded and
   * worked out again.
   */
  save(changes: MessageChange[]): Promise<MessageRef[]>;
  /** Accepted messages of the account, by id, the largest (newest) first. */
  search(accountId: string, filter: MessageFilter, page: MessagePage): Promise<MessageRecord[]>;
}

export const MESSAGES_STORE = Symbol('MessagesStore');
