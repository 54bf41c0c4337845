import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { signingSet, type DomainKey, type SendingDomain } from './domain';
import { signingDomains } from './domain.name';
import { DOMAIN_STORE, type DomainStore } from './domains.store';
import { privateKeyOf } from '../dkim/dkim.key';
import type { SigningKey } from '../dkim/dkim.sign';
import { KeyVault } from '../dkim/key.vault';

/** The keys that sign an account's mails from one domain. */
export interface Signers {
  keys: SigningKey[];
  /** Mails that cannot be signed wait. */
  require: boolean;
  /** There are keys, but they cannot be unwrapped. */
  unreadable: boolean;
  /** The domains and revisions that they were read from. */
  source: string;
}

type SignersCache = LRUCache<string, Signers, { accountId: string; domains: string[] }>;

/** Changes by another process are noticed within this time. */
const CACHE_TTL_MS = 15_000;
/** Of one account. */
const MAX_CACHED_SIGNERS = 5_000;

/** The keys that sign, unwrapped once and kept; while the store is unavailable, the last known ones. */
@Injectable()
export class SigningKeys {
  private readonly logger = new Logger('dispatch');
  /** By account, and in it by domain. A change made here drops those of its account, and what is read meanwhile with them. */
  private readonly caches = new Map<string, SignersCache>();

  constructor(
    @Inject(DOMAIN_STORE) private readonly store: DomainStore,
    private readonly vault: KeyVault,
  ) {}

  /** Rejects as the store does if nothing is known yet. */
  async of(accountId: string, from: string): Promise<Signers> {
    const domains = signingDomains(from);
    const signers = await this.cacheOf(accountId).fetch(domains[0]!, { context: { accountId, domains } });
    // Nothing is known: the caller must learn why.
    return signers ?? this.read(accountId, domains, undefined);
  }

  /** Whether the domain has keys that sign, and one of them can be unwrapped. */
  signs(domain: SendingDomain): boolean {
    return signingSet(domain)?.keys.some((key) => this.unwrap(domain, key)) ?? false;
  }

  /** To be called when a domain of the account was changed here. */
  forget(accountId: string): void {
    this.caches.delete(accountId);
  }

  private cacheOf(accountId: string): SignersCache {
    let cache = this.caches.get(accountId);
    if (!cache) this.caches.set(accountId, (cache = this.createCache()));
    return cache;
  }

  private createCache(): SignersCache {
    return new LRUCache({
      max: MAX_CACHED_SIGNERS,
      ttl: CACHE_TTL_MS,
      // By default the cache reuses a reading of its monotonic clock for a millisecond.
      ttlResolution: 0,
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: (_key, before, { context }) => this.read(context.accountId, context.domains, before),
    });
  }

  private async read(accountId: string, domains: string[], before: Signers | undefined): Promise<Signers> {
    const found = await this.store.find(domains.map((domain) => ({ accountId, domain })));
    const candidates = domains.flatMap((name) => found.find(({ domain }) => domain === name) ?? []);
    const source = candidates.map(({ domain, revision }) => `${domain} ${revision}`).join();
    if (before?.source === source) return before;
    // The domain itself comes first, then those above it; if none of them signs yet, the first decides about `require`.
    const signingDomain = candidates.find((domain) => signingSet(domain));
    const keys = signingDomain ? this.unwrapKeys(signingDomain) : [];
    const unreadable = signingDomain !== undefined && keys.length === 0;
    return { keys, require: (signingDomain ?? candidates[0])?.require ?? false, unreadable, source };
  }

  private unwrapKeys(domain: SendingDomain): SigningKey[] {
    const keys = signingSet(domain)?.keys ?? [];
    return keys.flatMap((key) => {
      const { algorithm, selector } = key;
      const bytes = this.unwrap(domain, key);
      if (bytes) return [{ algorithm, domain: domain.domain, selector, key: privateKeyOf(bytes) }];
      this.logger.error(
        `the key ${selector}._domainkey.${domain.domain} can't be decrypted: has its secret changed (DKIM_KEY_SECRET, else INTERNAL_SECRET, embedded instance-secret)?`,
      );
      return [];
    });
  }

  private unwrap({ accountId, domain }: SendingDomain, { selector, wrapped }: DomainKey): Buffer | undefined {
    return wrapped ? this.vault.unwrap(wrapped, [accountId, domain, selector]) : undefined;
  }
}
