import type { Problem } from '@lettermill/problems';
import type { Config } from '@lettermill/config';
import type { Logger } from '@lettermill/runtime';
import { AccountKeys } from './account.keys';
import { hashApiKey } from './api.key';
import { KeyRing } from './key.ring';
import type { KeyStore, StoredKey } from './keys.store';

function newAccountKeys() {
  const storedKeys = new Map<string, StoredKey>();
  const revokedHashes = new Set<string>();
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
    revoke: (hash, by) => {
      if (revokedHashes.has(by)) return Promise.resolve('caller_revoked');
      storedKeys.delete(hash);
      revokedHashes.add(hash);
      return Promise.resolve('revoked');
    },
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
    expect(ring.keyOf(`Bearer ${key}`)?.accountId).toBe('a');
    await keys.revoke('a', id, '');
    expect(ring.keyOf(`Bearer ${key}`)?.accountId).toBeUndefined();
  });

  it('are made with a name and shown once, and kept as their hash', async () => {
    const { keys, store } = newAccountKeys();
    const { key, ...made } = await keys.make('a', 'billing');
    const hash = hashApiKey(key).toString('hex');
    expect(made).toEqual({ id: hash.slice(0, 18), name: 'billing', created_at: '1970-01-01T00:00:01.000Z' });
    expect(await store.all()).toEqual([{ hash, accountId: 'a', name: 'billing', createdAt: 1000 }]);
  });

  it('are listed oldest first, and tell which one the call was made with', async () => {
    const { keys, store } = newAccountKeys();
    const [younger, older] = ['b', 'a'].map((letter) => letter.repeat(64)) as [string, string];
    await store.add({ hash: younger, accountId: 'a', name: 'younger', createdAt: 2000 });
    await store.add({ hash: older, accountId: 'a', name: null, createdAt: 1000 });
    expect(await keys.list('a', younger)).toEqual([
      { id: 'a'.repeat(18), name: null, created_at: '1970-01-01T00:00:01.000Z', current: false },
      { id: 'b'.repeat(18), name: 'younger', created_at: '1970-01-01T00:00:02.000Z', current: true },
    ]);
  });

  it('are revoked by another key than themselves', async () => {
    const { keys, store } = newAccountKeys();
    const { id } = await keys.make('a', null);
    const [{ hash }] = (await store.all()) as [StoredKey];
    await expect(keys.revoke('a', id, hash)).rejects.toMatchObject({ code: 'key_in_use' });
    expect(await store.all()).toHaveLength(1);
    await keys.revoke('a', id, 'another');
    expect(await store.all()).toEqual([]);
  });

  it('are not both revoked if two of them revoke each other at the same time', async () => {
    const { keys, ring } = newAccountKeys();
    const [one, two] = [await keys.make('a', null), await keys.make('a', null)];
    const hashes = [one, two].map(({ key }) => hashApiKey(key).toString('hex')) as [string, string];
    const revoked = keys.revoke('a', two.id, hashes[0]);
    const refused = keys.revoke('a', one.id, hashes[1]);
    await revoked;
    // As if its call had come a moment later.
    await expect(refused).rejects.toMatchObject({ code: 'unauthorized', headers: { 'www-authenticate': 'Bearer' } });
    expect(ring.keyOf(`Bearer ${one.key}`)?.accountId).toBe('a');
    expect(ring.keyOf(`Bearer ${two.key}`)).toBeUndefined();
  });

  it('are refused at once where the store says that another gateway has revoked them', async () => {
    const { keys, ring, store } = newAccountKeys();
    const [one, two] = [await keys.make('a', null), await keys.make('a', null)];
    store.revoke = () => Promise.resolve('caller_revoked');
    const used = hashApiKey(two.key).toString('hex');
    await expect(keys.revoke('a', one.id, used)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(ring.keyOf(`Bearer ${two.key}`)).toBeUndefined();
    expect(ring.keyOf(`Bearer ${one.key}`)?.accountId).toBe('a');
  });

  it('revoke nothing while they are being revoked themselves: the call can be repeated', async () => {
    const { keys, ring, store } = newAccountKeys();
    const { id, key } = await keys.make('a', null);
    store.revoke = () => Promise.resolve('contested');
    const refused = { code: 'unavailable', headers: { 'retry-after': '2' } };
    await expect(keys.revoke('a', id, 'another')).rejects.toMatchObject(refused);
    expect(ring.keyOf(`Bearer ${key}`)?.accountId).toBe('a');
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
      <T extends unknown[], R>(write: (...given: T) => Promise<R>) =>
      async (...given: T) => {
        const written = await write(...given);
        store.all = () => Promise.reject(new Error('away'));
        return written;
      };
    store.add = thenAway(store.add);
    store.revoke = thenAway(store.revoke);
    const { id, key } = await keys.make('a', null);
    expect(ring.keyOf(`Bearer ${key}`)?.accountId).toBe('a');
    store.all = all;
    await keys.revoke('a', id, '');
    expect(ring.keyOf(`Bearer ${key}`)?.accountId).toBeUndefined();
  });

  it('are not told to be revoked if the store cannot remove them', async () => {
    const { keys, ring, store } = newAccountKeys();
    const { id, key } = await keys.make('a', null);
    store.revoke = () => Promise.reject(new Error('away'));
    await expect(keys.revoke('a', id, '')).rejects.toThrow('away');
    expect(ring.keyOf(`Bearer ${key}`)?.accountId).toBe('a');
  });
});
