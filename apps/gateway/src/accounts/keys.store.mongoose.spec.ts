import type { MongoConnection } from '@lettermill/storage';
import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { keyStoreContract } from './keys.store.contract';
import { MongooseKeyStore } from './keys.store.mongoose';
import type { KeyStore } from './keys.store';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;

describeWithMongo('MongooseKeyStore', (open) => {
  keyStoreContract(async () => ({
    store: new MongooseKeyStore(await open()),
    close: () => Promise.resolve(),
  }));

  describe('of two keys of which one revokes the other', () => {
    let connection: MongoConnection;
    let store: MongooseKeyStore;
    beforeEach(async () => {
      connection = await open();
      store = new MongooseKeyStore(connection);
      for (const hash of ['one', 'two']) await store.add({ hash, accountId: 'a', name: null, createdAt: 1 });
    });
    afterEach(() => jest.restoreAllMocks());

    const kept = async () => (await store.all()).map(({ hash }) => hash).sort();
    /** Does something else right before the next call of this method of the driver. */
    const beforeNext = (method: 'findOneAndUpdate' | 'deleteOne', other: () => Promise<unknown>) => {
      const keys = connection.models.gateway_keys!;
      const real = keys[method].bind(keys) as (...given: unknown[]) => { exec(): Promise<unknown> };
      const late = (...given: unknown[]) => ({
        lean: () => late(...given),
        exec: async () => {
          await other();
          return real(...given).exec();
        },
      });
      jest.spyOn(keys, method).mockImplementationOnce(late as never);
    };

    it.each(['findOneAndUpdate', 'deleteOne'] as const)('the other revokes none meanwhile (%s)', async (step) => {
      let other: string | undefined;
      beforeNext(step, async () => (other = await store.revoke('one', 'two', NOW)));
      expect([await store.revoke('two', 'one', NOW), other]).toEqual(['revoked', 'contested']);
      expect(await kept()).toEqual(['one']);
    });

    it('the other is accepted, and revokes again after a minute, if the call never ended', async () => {
      const isOff = new Error('the process ends');
      beforeNext('deleteOne', () => Promise.reject(isOff));
      await expect(store.revoke('two', 'one', NOW)).rejects.toThrow(isOff.message);
      expect(await kept()).toEqual(['one', 'two']);
      expect(await store.revoke('one', 'two', NOW + MINUTE_MS - 1)).toBe('contested');
      expect(await store.revoke('one', 'two', NOW + MINUTE_MS)).toBe('revoked');
      expect(await kept()).toEqual(['two']);
    });

    it('the other stays if it revoked the caller’s while the call took longer than a minute', async () => {
      let other: string | undefined;
      beforeNext('deleteOne', async () => (other = await store.revoke('one', 'two', NOW + MINUTE_MS)));
      expect(await store.revoke('two', 'one', NOW)).toBe('contested');
      expect([other, await kept()]).toEqual(['revoked', ['two']]);
    });
  });
});

describeDenied<KeyStore>('MongooseKeyStore', (connection) => new MongooseKeyStore(connection), {
  migrate: (store) => store.migrate(),
  all: (store) => store.all(),
  add: (store) => store.add({ hash: 'h', accountId: 'a', name: null, createdAt: 1 }),
  remove: (store) => store.remove('h'),
  revoke: (store) => store.revoke('h', 'g', 0),
});
