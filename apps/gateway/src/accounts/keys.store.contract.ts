import type { KeyStore } from './keys.store';

/** The suite that every adapter of the key store runs. */
export function describeKeyStore(name: string, make: () => Promise<{ store: KeyStore; close(): Promise<void> }>): void {
  describe(`key store: ${name}`, () => {
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
      await harness.store.add({ hash: 'h1', accountId: 'b', name: 'two', createdAt: 2 });
      await harness.store.add({ hash: 'h2', accountId: 'b', name: null, createdAt: 3 });
      const keys = await harness.store.all();
      expect(keys.sort((x, y) => x.hash.localeCompare(y.hash))).toEqual([
        { hash: 'h1', accountId: 'a', name: 'one', createdAt: 1 },
        { hash: 'h2', accountId: 'b', name: null, createdAt: 3 },
      ]);
    });

    it('forgets a removed key', async () => {
      await harness.store.add({ hash: 'h1', accountId: 'a', name: null, createdAt: 1 });
      await harness.store.remove('h1');
      await harness.store.remove('never there');
      expect(await harness.store.all()).toEqual([]);
    });
  });
}
