import type { MigratedStore } from '@lettermill/storage';
import type { SendingDomain } from './domain';

export interface DomainRef {
  accountId: string;
  domain: string;
}

export interface DomainStore extends MigratedStore {
  /** In any order. */
  find(refs: readonly DomainRef[]): Promise<SendingDomain[]>;
  /** By name, those after `after`. */
  list(accountId: string, limit: number, after: string): Promise<SendingDomain[]>;
  /** Domains of all accounts, each once, those after `after` (null: from the first). */
  page(limit: number, after: DomainRef | null): Promise<SendingDomain[]>;
  /** Domains of all accounts whose `nextLookupAt` has come, the longest due first. */
  due(now: number, limit: number): Promise<SendingDomain[]>;
  count(accountId: string): Promise<number>;
  /** Replaces the revision `before`, or inserts if that is null; resolves to false if the stored revision is another one by now. */
  put(domain: SendingDomain, before: number | null): Promise<boolean>;
  /** Resolves to false if there was none. */
  remove(ref: DomainRef): Promise<boolean>;
}

export const DOMAIN_STORE = Symbol('DomainStore');
