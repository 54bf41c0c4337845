import type { MigratedStore } from '@lettermill/storage';
import type { SendingDomain } from './domain';

export interface DomainRef {
  accountId: string;
  domain: string;
}

export interface DomainStore extends MigratedStore {
  /** In any order. */
  find(refs: readonly DomainRef[]): Promise<SendingDomain[]>;
  /** By name, those that come after `after`. */
  list(accountId: string, limit: number, after: string): Promise<SendingDomain[]>;
  /** Of all accounts, each once, those that come after `after` (null: the first). */
  page(limit: number, after: DomainRef | null): Promise<SendingDomain[]>;
  /** Those whose `nextLookAt` has come, of all accounts, the longest due first. */
  due(now: number, limit: number): Promise<SendingDomain[]>;
  count(accountId: string): Promise<number>;
  /** In place of the revision `before`, or where there is none (null); false where it is another by now. */
  put(domain: SendingDomain, before: number | null): Promise<boolean>;
  /** False where there was none. */
  remove(ref: DomainRef): Promise<boolean>;
}

export const DOMAIN_STORE = Symbol('DomainStore');
