import type { KeyStore } from './keys.store';

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
}
