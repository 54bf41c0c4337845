import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, HourlySweeper, type Clock } from '@lettermill/runtime';
import { SigningKeys } from './signing.keys';
import type { SendingDomain } from './domain';
import { afterLookup, recordNames } from './domain.decide';
import { DnsLookup } from './dns.lookup';
import { DOMAIN_STORE, type DomainStore } from './domains.store';

/** This many domains are looked up at once, in one round of DNS queries. */
const BATCH_SIZE = 10;

/**
 * Looks up the records of domains that wait for them, so that publishing them is enough. A domain that is changed in the meantime, by a
 * call or by another replica, stays as changed.
 */
@Injectable()
export class DomainsWatch extends HourlySweeper {
  constructor(
    @Inject(DOMAIN_STORE) private readonly store: DomainStore,
    private readonly dns: DnsLookup,
    private readonly signing: SigningKeys,
    @Inject(CLOCK) now: Clock,
  ) {
    super('dispatch', now);
  }

  /** If no query was answered, DNS itself is unavailable: the other domains wait for the next hour. */
  protected async step(now: number): Promise<boolean> {
    const due = await this.store.due(now, BATCH_SIZE);
    if (due.length === 0) return false;
    const found = await this.dns.txt(due.flatMap(recordNames));
    const updates = due.map((before) => ({ before, after: afterLookup(before, found, this.now()) }));
    await Promise.all(updates.map(({ before, after }) => this.save(before, after)));
    const dnsUnreachable = [...found.values()].every((answer) => answer === 'unreachable');
    return due.length === BATCH_SIZE && !dnsUnreachable;
  }

  private async save(before: SendingDomain, after: SendingDomain): Promise<void> {
    if (await this.store.put(after, before.revision)) this.signing.forget(after.accountId);
  }
}
