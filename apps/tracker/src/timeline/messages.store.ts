import type { MessageState } from '@lettermill/events';
import type { MigratedStore } from '@lettermill/storage';
import type { MessageChange, MessageRecord, MessageRef } from './message.record';

/** A message must fulfil every condition that is set. */
export interface MessageFilter {
  externalMessageId?: string;
  requestId?: string;
  /** Any of these terms (`contactTerms`). */
  contact?: string[];
  /** A slug or an id. */
  campaign?: string;
  /** Any of these states, each listed once. */
  states?: MessageState[];
  /** Code of the current reason. */
  reason?: string;
  /** Accepted at this time or later; milliseconds since the epoch. */
  from?: number;
  /** Accepted at this time or earlier. */
  to?: number;
}

export interface MessagePage {
  limit: number;
  /** Only messages with a smaller id. */
  before?: string;
}

/** A page of a search. */
export interface MessagesFound {
  /** At most `limit`; fewer, but at least one, if these are so large that no more would fit into memory. */
  records: MessageRecord[];
  /** Whether more messages match. */
  hasMore: boolean;
}

/** Messages of all accounts, with the keys they are searched by. */
export interface MessagesStore extends MigratedStore {
  /** Returns those of the messages that are stored, in any order. */
  load(refs: MessageRef[]): Promise<MessageRecord[]>;
  /** Saves each change whose `revision` is still the stored one. Resolves to those not saved: they must be loaded and worked out again. */
  save(changes: MessageChange[]): Promise<MessageRef[]>;
  /** Accepted messages of the account, by id, the largest (newest) first. */
  search(accountId: string, filter: MessageFilter, page: MessagePage): Promise<MessagesFound>;
}

export const MESSAGES_STORE = Symbol('MessagesStore');
