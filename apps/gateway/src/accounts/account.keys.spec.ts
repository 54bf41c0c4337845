import type { Problem } from '@lettermill/problems';
import type { Logger, Config } from '@lettermill/runtime';
import { AccountKeys } from './account.keys';
import { KeyRing } from './key.ring';
import type { KeyStore, StoredKey } from './keys.store';

function newAccountKeys() {
  const storedKeys = new Map<string, StoredKey>();
  const store: KeyStore = {
    migrate: () => Promise.resolve(),
    all: () => Promise.resolve([...storedKeys.values()]),
    add: (key, most = Infinity) => {
      const ofAccount = [...storedKeys.values()].filter(({ accountId }) => accountId === key.accountId);
      if (ofAccount.length >= most) return Promise.resolve(false);
      storedKeys.set(key.hash, key);
      return Promise.resolve(true);
    },
    remove: (hash) => Promise.resolve(void storedKeys.delete(hash)),
  };
  const ring = new KeyRing(store, {} as Config, () => 0, {} as Logger);
  return { keys: new AccountKeys(store, ring, () => 1000), ring, store };
}

describe('the keys of an account', () => {
  it('can be neither listed nor revoked by another account', async () => {
    const { keys, ring } = newAccountKeys();
    const { id, key } = await keys.make('a', null);
    expect(await keys.list('b', '')).toEqual([]);
    await expect(keys.revoke('b', id, '')).rejects.toMatchObject({ code: 'not_found' });
    expect(ring.accountOf(`Bearer ${key}`)).toBe('a');
    await keys.revoke('a', id, '');
    expect(ring.accountOf(`Bearer ${key}`)).toBeUndefined();
  });

  it('are 100 at most, also of concurrent calls', async () => {
    const { keys, ring } = newAccountKeys();
    const learned = jest.spyOn(ring, 'learn');
    const made = await Promise.allSettled(Array.from({ length: 102 }, () => keys.make('a', null)));
    const refused = made.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as Problem).code)).toEqual(['too_many_keys', 'too_many_keys']);
    expect(await keys.list('a', '')).toHaveLength(100);
    expect(learned).toHaveBeenCalledTimes(100);
    await keys.make('b', null);
  });

  it('are accepted once made and refused once revoked, even if the store becomes unavailable right after the write', async () => {
    const { keys, ring, store } = newAccountKeys();
    const { all } = store;
    const thenAway =
      <T, R>(write: (given: T) => Promise<R>) =>
      async (given: T) => {
        const written = await write(given);
        store.all = () => Promise.reject(new Error('away'));
        return written;
      };
    store.add = thenAway(store.add);
    store.remove = thenAway(store.remove);
    const { id, key } = await keys.make('a', null);
    expect(ring.accountOf(`Bearer ${key}`)).toBe('a');
    store.all = all;
    await keys.revoke('a', id, '');
    expect(ring.accountOf(`Bearer ${key}`)).toBeUndefined();
  });
});
