import { Inject, Injectable } from '@nestjs/common';
import { Problem, unavailable } from '@lettermill/problems';
import { CLOCK, type Clock } from '@lettermill/runtime';
import { hashApiKey, keyIdOf, keyProblem, newApiKey, UNKNOWN_KEY } from './api.key';
import { KeyRing } from './key.ring';
import { KEY_STORE, type KeyStore, type StoredKey } from './keys.store';

/** Limited because every gateway keeps all keys in memory. */
const MAX_KEYS = 100;

export interface KeyAnswer {
  id: string;
  name: string | null;
  created_at: string;
  /** Whether this call was made with the key. */
  current: boolean;
}

export interface NewKeyAnswer {
  id: string;
  key: string;
  name: string | null;
  created_at: string;
}

/** Lists, creates and revokes the keys of an account. */
@Injectable()
export class AccountKeys {
  constructor(
    @Inject(KEY_STORE) private readonly store: KeyStore,
    private readonly ring: KeyRing,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  /** `usedHash` is the hash of the key that the call was made with. */
  async list(accountId: string, usedHash: string): Promise<KeyAnswer[]> {
    const keys = await this.keysOf(accountId);
    return keys
      .sort((a, b) => a.createdAt - b.createdAt)
      .map(({ hash, name, createdAt }) => ({
        id: keyIdOf(hash),
        name,
        created_at: timeOf(createdAt),
        current: hash === usedHash,
      }));
  }

  async make(accountId: string, name: string | null): Promise<NewKeyAnswer> {
    const key = newApiKey();
    const hash = hashApiKey(key).toString('hex');
    const createdAt = this.now();
    const stored = { hash, accountId, name, createdAt };
    if (!(await this.store.add(stored, MAX_KEYS))) {
      throw new Problem('too_many_keys', `The account already has ${MAX_KEYS} keys.`);
    }
    this.ring.learn(stored);
    return { id: keyIdOf(hash), key, name, created_at: timeOf(createdAt) };
  }

  async revoke(accountId: string, id: string, usedHash: string): Promise<void> {
    const found = (await this.keysOf(accountId)).find(({ hash }) => keyIdOf(hash) === id);
    if (!found) throw new Problem('not_found', 'The account has no key with this id.');
    if (found.hash === usedHash)
      throw new Problem('key_in_use', 'This call was made with the key that it would revoke.');
    const revocation = await this.store.revoke(found.hash, usedHash, this.now());
    if (revocation === 'contested') throw unavailable('Another call is revoking one of the two keys at this moment.');
    if (revocation === 'revoked') return this.ring.forget(found.hash);
    // Another gateway may accept a revoked key for some seconds, but not to revoke others with it.
    this.ring.forget(usedHash);
    throw keyProblem(UNKNOWN_KEY);
  }

  private async keysOf(accountId: string): Promise<StoredKey[]> {
    return (await this.store.all()).filter((key) => key.accountId === accountId);
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
