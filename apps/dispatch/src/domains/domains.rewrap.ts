import { Inject, Injectable } from '@nestjs/common';
import { HOUR_MS } from '@lettermill/concurrency';
import { CLOCK, HourlySweeper, type Clock } from '@lettermill/runtime';
import { KeyVault } from '../dkim/key.vault';
import { rewrapped, type SendingDomain } from './domain';
import { DOMAIN_STORE, type DomainRef, type DomainStore } from './domains.store';

const BATCH_SIZE = 50;

/**
 * Wraps private keys that are under a former secret under the current one, so that the former one can be removed. Not at the start:
 * replicas that know only the former may still be running. A domain keeps its revision, so that processes that have its keys unwrapped keep
 * them. A domain that is changed in the meantime stays as changed, and is tried again an hour later. So is one whose change had been read
 * before, which brings the old wrapping back: only a later pass that finds none shows that none is left.
 */
@Injectable()
export class DomainsRewrap extends HourlySweeper {
  private lastSeen: DomainRef | null = null;
  private renewed = 0;
  private missed = false;
  private hasSeenAll = false;
  private done = false;

  constructor(
    @Inject(DOMAIN_STORE) private readonly store: DomainStore,
    private readonly vault: KeyVault,
    @Inject(CLOCK) now: Clock,
  ) {
    super('dispatch', now, HOUR_MS);
  }

  protected async step(): Promise<boolean> {
    if (this.done || !this.vault.hasFormer) return false;
    const page = await this.store.page(BATCH_SIZE, this.lastSeen);
    for (const domain of page) await this.renew(domain);
    this.lastSeen = page.at(-1) ?? null;
    if (page.length === BATCH_SIZE) return true;
    this.finish();
    return false;
  }

  private async renew(before: SendingDomain): Promise<void> {
    const { accountId, domain } = before;
    const after = rewrapped(before, (wrapped, selector) => this.vault.rewrap(wrapped, [accountId, domain, selector]));
    if (after === before) return;
    if (await this.store.put(after, before.revision)) this.renewed += 1;
    else this.missed = true;
  }

  /** Begins with the first domain again in an hour, unless all were seen before and none was renewed or missed since. */
  private finish(): void {
    if (this.renewed > 0) this.logger.log(`keys of ${this.renewed} domains are now encrypted with the new secret`);
    this.done = this.hasSeenAll && this.renewed === 0 && !this.missed;
    if (this.done) this.logger.log('no readable DKIM key needs a former secret any longer: it can be removed');
    this.hasSeenAll = true;
    this.lastSeen = null;
    this.renewed = 0;
    this.missed = false;
  }
}
