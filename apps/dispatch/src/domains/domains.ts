import { Inject, Injectable } from '@nestjs/common';
import { domainSetupFaults, type DomainSetup } from '@lettermill/contract';
import { Problem, unavailable, validationFailed, type Fault } from '@lettermill/problems';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { readPrivateKey, type DkimKeyPair } from '../dkim/dkim.key';
import { SigningKeys } from './signing.keys';
import type { SendingDomain } from './domain';
import { afterLookup, decideKeys, recordNames, nextRevision, afterSetup } from './domain.decide';
import type { LookupResult } from './domain.records';
import { DnsLookup } from './dns.lookup';
import { DOMAIN_STORE, type DomainRef, type DomainStore } from './domains.store';
import { KeySets, type KeyRequest } from './key.sets';

/** If another call changes the domain at the same time, it is read again, at most this often. */
const MAX_ROUNDS = 5;
const MAX_DOMAINS = 1_000;

/** The domains whose mails are signed. Throws `Problem` if a call cannot be carried out. */
@Injectable()
export class Domains {
  constructor(
    @Inject(DOMAIN_STORE) private readonly store: DomainStore,
    private readonly keys: KeySets,
    private readonly dns: DnsLookup,
    private readonly signing: SigningKeys,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** Creates or changes the domain; `created` says which. Repeating the call changes nothing. */
  async put(ref: DomainRef, body: unknown): Promise<{ created: boolean; domain: SendingDomain }> {
    const { setup, given } = readSetup(body);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const [existing] = await this.store.find([ref]);
      if (!existing) await this.checkCount(ref.accountId);
      const next = await this.applySetup(ref, existing, setup, given);
      if (next === existing) return { created: false, domain: next };
      if (await this.save(next, existing)) return { created: !existing, domain: next };
    }
    throw unavailable('Too many changes to this domain at the same time.');
  }

  async get(ref: DomainRef): Promise<SendingDomain> {
    const [found] = await this.store.find([ref]);
    if (!found) throw unknownDomain();
    return found;
  }

  list(accountId: string, limit: number, after: string): Promise<SendingDomain[]> {
    return this.store.list(accountId, limit, after);
  }

  /** Whether mails of the domain are signed now. */
  signs(domain: SendingDomain): boolean {
    return this.signing.signs(domain);
  }

  async remove(ref: DomainRef): Promise<void> {
    const removed = await this.store.remove(ref);
    this.signing.forget(ref.accountId);
    if (!removed) throw unknownDomain();
  }

  /** Looks up its records. New keys whose records are found replace the current ones. */
  async verify(ref: DomainRef): Promise<{ domain: SendingDomain; found: ReadonlyMap<string, LookupResult> }> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const domain = await this.get(ref);
      const found = await this.dns.txt(recordNames(domain));
      const next = afterLookup(domain, found, this.now());
      if (await this.save(next, domain)) return { domain: next, found };
    }
    throw unavailable('Too many changes to this domain at the same time.');
  }

  private async applySetup(
    ref: DomainRef,
    existing: SendingDomain | undefined,
    setup: DomainSetup,
    given: DkimKeyPair | undefined,
  ): Promise<SendingDomain> {
    const now = this.now();
    const decision = decideKeys(existing, setup, given?.publicKey);
    if ('faults' in decision) throw validationFailed(decision.faults, 'changed');
    const wanted: KeyRequest = { selector: setup.selector, existing, given, ed25519: setup.ed25519 ?? true };
    const made = decision.keys === 'new' ? await this.keys.make(ref, wanted, now) : undefined;
    if (existing) {
      const next = afterSetup(existing, setup, made, now);
      return next === existing ? existing : { ...next, revision: nextRevision(existing, now) };
    }
    const { sign = 'verified', require = false } = setup;
    const times = { createdAt: now, updatedAt: now, checkedAt: null };
    return { ...ref, revision: now, sign, require, current: made!, next: null, retired: null, ...times };
  }

  private async save(next: SendingDomain, before: SendingDomain | undefined): Promise<boolean> {
    const saved = await this.store.put(next, before?.revision ?? null);
    if (saved) this.signing.forget(next.accountId);
    return saved;
  }

  private async checkCount(accountId: string): Promise<void> {
    if ((await this.store.count(accountId)) < MAX_DOMAINS) return;
    const detail = `An account can have at most ${MAX_DOMAINS} domains.`;
    throw validationFailed([{ pointer: '', code: 'too_many', detail }], 'changed');
  }
}

export function unknownDomain(): Problem {
  return new Problem('not_found', 'The account has no domain with this name.');
}

/** A call without a body asks for the defaults. */
function readSetup(body: unknown): { setup: DomainSetup; given: DkimKeyPair | undefined } {
  const setup = (body === undefined ? {} : body) as DomainSetup;
  const faults: Fault[] = domainSetupFaults(setup);
  const pem = faults.some(({ pointer }) => pointer === '' || pointer === '/private_key')
    ? undefined
    : setup.private_key;
  const given = pem === undefined ? undefined : readPrivateKey(pem);
  if (given && 'fault' in given)
    faults.push({ pointer: '/private_key', code: 'invalid_private_key', detail: given.fault });
  if (given && 'algorithm' in given && given.algorithm === 'ed25519-sha256' && setup.ed25519 === false) {
    faults.push({
      pointer: '/ed25519',
      code: 'not_allowed_value',
      detail: 'found false, but private_key is an Ed25519 key',
    });
  }
  if (faults.length > 0) throw validationFailed(faults, 'changed');
  return { setup, given: given as DkimKeyPair | undefined };
}
