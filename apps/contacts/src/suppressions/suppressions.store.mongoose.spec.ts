import { idOf } from '@lettermill/storage';
import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { olderSuppressionsContract } from './suppressions.causes.contract';
import { suppressionsStoreContract } from './suppressions.store.contract';
import { listQuery, MongooseSuppressionsStore } from './suppressions.store.mongoose';
import type { SuppressionsStore } from './suppressions.store';

describeWithMongo('MongooseSuppressionsStore', (open) => {
  suppressionsStoreContract(async () => {
    const store = new MongooseSuppressionsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });

  describe('on documents of an older version', () => {
    olderSuppressionsContract(async (older) => {
      const connection = await open();
      const documents = older.map(({ releasedAt, clearedAt, unsubscribedAt, ...one }) => ({
        _id: idOf(one.accountId, one.address) as never,
        account_id: one.accountId,
        address: one.address,
        reason: one.reason,
        message_id: one.messageId,
        at: one.at,
        ...(releasedAt === undefined ? { active: true } : { released_at: releasedAt }),
        ...(unsubscribedAt !== undefined && { unsubscribed_at: unsubscribedAt, unsubscribed_by: 'm0' }),
        ...(clearedAt !== undefined && { cleared_at: clearedAt }),
      }));
      await connection.db!.collection('contacts_suppression').insertMany(documents);
      const store = new MongooseSuppressionsStore(connection);
      await store.migrate();
      return { store, close: () => Promise.resolve() };
    });
  });

  it.each([[undefined], ['complained']])('walks an index without sorting for the reason %s', async (reason) => {
    const connection = await open();
    await new MongooseSuppressionsStore(connection).migrate();
    for (const after of [null, { at: 1, address: 'x@example.com' }]) {
      const { filter, index } = listQuery('a', after, reason);
      const cursor = connection.db!.collection('contacts_suppression').find(filter, { hint: index });
      const plan = await cursor.sort({ at: -1, address: -1 }).limit(3).explain();
      expect(planOf(plan)).toEqual({ indexes: [index], scans: false, sorts: false });
    }
  });
});

const ref = { accountId: 'a', address: 'ada@example.com' };
describeDenied<SuppressionsStore>(
  'MongooseSuppressionsStore',
  (connection) => new MongooseSuppressionsStore(connection),
  {
    migrate: (store) => store.migrate(),
    add: (store) => store.add([{ ...ref, reason: 'manual', messageId: 'm', at: 1 }]),
    find: (store) => store.find([ref]),
    list: (store) => store.list('a', 1, null),
    release: (store) => store.release(ref, 1),
  },
);
