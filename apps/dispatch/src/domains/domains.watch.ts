import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, HourlySweeper, type Clock } from '@lettermill/runtime';
import { SigningKeys } from './signing.keys';
import type { SendingDomain } from './domain';
import { afterLookup, recordNames } from './domain.decide';
import { DnsLookup } from './dns.lookup';
import { DOMAIN_STORE, type DomainStore } from './domains.store';

/** This many domains are looked up at once, in one round of DNS queries. */
const BATCH_SIZE = 10;
/** As many as one account may have domains: those of one must not keep others from being looked up. Each takes five seconds. */
const MAX_UNANSWERED_BATCHES = 100;

/**
 * Looks up the records of domains that wait for them, so that publishing them is enough. A domain that is changed in the meantime, by a
 * call or by another replica, stays as changed.
 */
@Injectable()
export class DomainsWatch extends HourlySweeper {
  private unansweredBatches = 0;

  constructor(
    @Inject(DOMAIN_STORE) private readonly store: DomainStore,
    private readonly dns: DnsLookup,
    private readonly signing: SigningKeys,
    @Inject(CLOCK) now: Clock,
  ) {
    super('dispatch', now);
  }

  /** After many queries without an answer, DNS itself seems unavailable, not only what serves these: the others wait for the next hour. */
  protected async step(now: number): Promise<boolean> {
    const due = await this.store.due(now, BATCH_SIZE);
    if (due.length === 0) return false;
    const found = await this.dns.txt(due.flatMap(recordNames));
    const updates = due.map((before) => ({ before, after: afterLookup(before, found, this.now()) }));
    await Promise.all(updates.map(({ before, after }) => this.save(before, after)));
    const isAnswered = [...found.values()].some((answer) => answer !== 'unreachable');
    this.unansweredBatches = isAnswered ? 0 : this.unansweredBatches + 1;
    const goesOn = due.length === BATCH_SIZE && this.unansweredBatches < MAX_UNANSWERED_BATCHES;
    if (!goesOn) this.unansweredBatches = 0;
    return goesOn;
  }

  private async save(before: SendingDomain, after: SendingDomain): Promise<void> {
    if (await this.store.put(after, before.revision)) this.signing.forget(after.accountId);
  }
}
