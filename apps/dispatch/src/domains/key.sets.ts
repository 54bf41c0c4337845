import { Injectable } from '@nestjs/common';
import { Slots } from '@lettermill/concurrency';
import { unavailable } from '@lettermill/problems';
import { makeKeyPair, type DkimKeyPair } from '../dkim/dkim.key';
import { KeyVault } from '../dkim/key.vault';
import type { DomainKey, KeySet, SendingDomain } from './domain';
import { ED25519_SUFFIX, makeSelector } from './domain.decide';
import type { DomainRef } from './domains.store';

/** At most this many calls wait for keys; making an RSA key occupies a processor for a tenth of a second and more. */
const MAX_WAITING_CALLS = 20;

export interface KeyRequest {
  /** If undefined, one is made that no key of `existing` has. */
  selector: string | undefined;
  existing: SendingDomain | undefined;
  /** The key in the call, if any. */
  given: DkimKeyPair | undefined;
  ed25519: boolean;
}

/** Makes the keys that sign together: RSA, and also Ed25519 if it is wanted or was given. */
@Injectable()
export class KeySets {
  private readonly slot = new Slots(1);
  private waiting = 0;

  constructor(private readonly vault: KeyVault) {}

  /** Rejects with the 503 problem if too many calls wait. */
  async make(ref: DomainRef, { selector, existing, given, ed25519 }: KeyRequest, now: number): Promise<KeySet> {
    const rsa = given?.algorithm === 'rsa-sha256' ? given : await this.makeRsa();
    const second = given?.algorithm === 'ed25519-sha256' ? given : undefined;
    const pairs = [rsa, ...(second ? [second] : ed25519 ? [await makeKeyPair('ed25519-sha256')] : [])];
    const name = selector ?? makeSelector(rsa.publicKey, now, existing);
    return {
      selector: name,
      keys: pairs.map((pair) => this.wrapKey(ref, name, pair)),
      createdAt: now,
      verifiedAt: null,
    };
  }

  private wrapKey({ accountId, domain }: DomainRef, set: string, pair: DkimKeyPair): DomainKey {
    const { algorithm, publicKey, privateKey } = pair;
    const selector = algorithm === 'rsa-sha256' ? set : set + ED25519_SUFFIX;
    const wrapped = this.vault.wrap(privateKey, [accountId, domain, selector]);
    return { algorithm, selector, publicKey, wrapped, seen: 'unchecked' };
  }

  private async makeRsa(): Promise<DkimKeyPair> {
    if (this.waiting >= MAX_WAITING_CALLS) throw unavailable('Too many keys are being made at the same time.');
    this.waiting += 1;
    try {
      return await this.slot.run(() => makeKeyPair('rsa-sha256'));
    } finally {
      this.waiting -= 1;
    }
  }
}
