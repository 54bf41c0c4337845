import type { KeyStore } from './keys.store';

const NOW = 1_800_000_000_000;

/** The suite that every adapter of the key store runs. */
export function keyStoreContract(make: () => Promise<{ store: KeyStore; close(): Promise<void> }>): void {
  let harness: Awaited<ReturnType<typeof make>>;
  beforeEach(async () => {
    harness = await make();
    await harness.store.migrate();
  });
  afterEach(() => harness.close());

  it('is empty at first, and migrating again changes nothing', async () => {
    await harness.store.migrate();
    expect(await harness.store.all()).toEqual([]);
  });

  it('keeps a key once, however often it is added', async () => {
    await harness.store.add({ hash: 'h1', accountId: 'a', name: 'one', createdAt: 1 });
    expect(await harness.store.add({ hash: 'h1', accountId: 'b', name: 'two', createdAt: 2 })).toBe(false);
    await harness.store.add({ hash: 'h2', accountId: 'b', name: null, createdAt: 3 });
    const keys = await harness.store.all();
    expect(keys.sort((x, y) => x.hash.localeCompare(y.hash))).toEqual([
      { hash: 'h1', accountId: 'a', name: 'one', createdAt: 1 },
      { hash: 'h2', accountId: 'b', name: null, createdAt: 3 },
    ]);
  });

  it('adds no key to an account that has as many as it may, whoever else adds at the same time', async () => {
    const { store } = harness;
    const keyOf = (accountId: string, n: number) => ({
      hash: `${accountId}${n}`,
      accountId,
      name: null,
      createdAt: n,
    });
    for (const n of [1, 2, 3, 4]) expect(await store.add(keyOf('other', n), 4)).toBe(true);
    for (const n of [1, 2, 3]) expect(await store.add(keyOf('a', n), 4)).toBe(true);
    const added = await Promise.all([4, 5, 6, 7].map((n) => store.add(keyOf('a', n), 4)));
    const kept = (await store.all()).filter(({ accountId }) => accountId === 'a').length;
    expect(kept).toBe(3 + added.filter(Boolean).length);
    expect(kept).toBeLessThanOrEqual(4);
    await store.add(keyOf('a', 8), 4);
    expect(await store.add(keyOf('a', 9), 4)).toBe(false);
    expect(await store.add(keyOf('a', 9))).toBe(true);
  });

  it('forgets a removed key', async () => {
    await harness.store.add({ hash: 'h1', accountId: 'a', name: null, createdAt: 1 });
    await harness.store.remove('h1');
    await harness.store.remove('never there');
    expect(await harness.store.all()).toEqual([]);
  });

  const addKeys = (...hashes: string[]) =>
    Promise.all(hashes.map((hash, n) => harness.store.add({ hash, accountId: 'a', name: null, createdAt: n })));
  const keptHashes = async () => (await harness.store.all()).map(({ hash }) => hash).sort();

  it('revokes a key on behalf of another one, as often as it is told to', async () => {
    const { store } = harness;
    await addKeys('h1', 'h2');
    for (const hash of ['h1', 'h1', 'never there']) expect(await store.revoke(hash, 'h2', NOW)).toBe('revoked');
    expect(await keptHashes()).toEqual(['h2']);
  });

  it('revokes no key on behalf of one that was revoked itself', async () => {
    const { store } = harness;
    await addKeys('h1', 'h2');
    expect(await store.revoke('h2', 'h1', NOW)).toBe('revoked');
    expect(await store.revoke('h1', 'h2', NOW)).toBe('caller_revoked');
    expect(await keptHashes()).toEqual(['h1']);
    // What was refused has left nothing behind.
    await addKeys('h3');
    expect(await store.revoke('h3', 'h1', NOW)).toBe('revoked');
  });

  it.each([2, 3])('keeps one of %d keys that revoke each other at the same time', async (count) => {
    const { store } = harness;
    for (let round = 0; round < 20; round += 1) {
      const hashes = Array.from({ length: count }, (_, n) => `r${round}h${n}`);
      await addKeys(...hashes);
      const told = await Promise.all(hashes.map((hash, n) => store.revoke(hashes[(n + 1) % count]!, hash, NOW)));
      const kept = await keptHashes();
      const expected = hashes.filter((_, n) => told[(n + count - 1) % count] !== 'revoked');
      expect(kept).toEqual(expected);
      expect(kept).not.toEqual([]);
      for (const hash of kept) await store.remove(hash);
    }
  });
}
