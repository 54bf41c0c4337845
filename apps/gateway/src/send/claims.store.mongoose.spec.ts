import { migrateMongo } from '@lettermill/storage';
import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { claimStoreContract } from './claims.store.contract';
import { MongooseClaimStore } from './claims.store.mongoose';
import type { ClaimStore, HeldName } from './claims.store';

const claimOf = (requestId: string, ...values: string[]) => ({
  accountId: 'a',
  requestId,
  messageIds: [],
  fingerprint: 'f',
  leaseUntil: 1000,
  keyExpiresAt: 1e13,
  names: values.map((value) => ({ kind: 'key' as const, value, messageId: null })),
});

describeWithMongo('MongooseClaimStore', (open) => {
  claimStoreContract(async () => {
    const connection = await open();
    const store = new MongooseClaimStore(connection);
    await store.migrate();
    // The times in the suite are long past: the server would remove keys in the middle of a test.
    const withoutExpiry = (database: NonNullable<typeof connection.db>) =>
      database.collection('gateway_names').dropIndex('gateway_names_expiry');
    await migrateMongo(connection, 'test', [{ name: '1-no-expiry', apply: withoutExpiry }]);
    return { store, close: () => Promise.resolve() };
  });

  it('takes no name in the order of names after one that another request has', async () => {
    const connection = await open();
    const store = new MongooseClaimStore(connection);
    await store.claim(claimOf('r1', 'first'));
    const { collection } = connection.models.gateway_names!;
    const { deleteMany } = collection;
    const release = jest.spyOn(collection, 'deleteMany').mockImplementationOnce(async (...given) => {
      expect(await store.claim(claimOf('r3', 'last'))).toEqual([]);
      return deleteMany.apply(collection, given);
    });
    expect(await store.claim(claimOf('r2', 'last', 'first'))).toMatchObject([{ value: 'first', requestId: 'r1' }]);
    expect(release).toHaveBeenCalledTimes(1);
    release.mockRestore();
  });

  it('takes the names that another request has released since they were refused', async () => {
    const connection = await open();
    const store = new MongooseClaimStore(connection);
    const first = claimOf('r1', 'x');
    await store.claim(first);
    const { collection } = connection.models.gateway_names!;
    const { bulkWrite } = collection;
    jest.spyOn(collection, 'bulkWrite').mockImplementationOnce((...given) => {
      return bulkWrite.apply(collection, given).finally(() => store.release(first));
    });
    expect(await store.claim(claimOf('r2', 'x'))).toEqual([]);
    expect(await store.claim(claimOf('r3', 'x'))).toMatchObject([{ requestId: 'r2' }]);
    jest.restoreAllMocks();
  });

  it('finds the names of a request, and expired keys, by their indexes', async () => {
    const connection = await open();
    const store = new MongooseClaimStore(connection);
    await store.migrate();
    const { collection } = connection.models.gateway_names!;
    const [updates, deletions] = [jest.spyOn(collection, 'updateMany'), jest.spyOn(collection, 'deleteMany')];
    const reads = jest.spyOn(collection, 'find');
    const hold = { accountId: 'a', requestId: 'r', leaseUntil: 1 };
    await store.messageIdsOf('a', ['r', 's']);
    await store.confirm('a', 'r', '{}', 1);
    await store.abandon(hold);
    await store.release(hold);
    await collection.createIndex({ expires_at: 1 }, { name: 'gateway_names_expiry' });
    await store.sweep(1);
    const filters = [...reads.mock.calls, ...updates.mock.calls, ...deletions.mock.calls].map(([filter]) => filter!);
    jest.restoreAllMocks();
    const plans = await Promise.all(filters.map(async (filter) => planOf(await collection.find(filter).explain())));
    expect(plans.map(({ indexes }) => indexes)).toEqual([
      ...Array<string[]>(4).fill(['gateway_names_request']),
      ['gateway_names_expiry'],
    ]);
  });
});

const claim = claimOf('r', 'x');
const held = claim.names.map((name): HeldName => ({ ...claim, ...name, nameless: [], state: 'claimed', ack: null }));
describeDenied<ClaimStore>('MongooseClaimStore', (connection) => new MongooseClaimStore(connection), {
  migrate: (store) => store.migrate(),
  claim: (store) => store.claim(claim),
  taken: (store) => store.taken('a', ['x']),
  messageIdsOf: (store) => store.messageIdsOf('a', ['r']),
  takeOver: (store) => store.takeOver(claim, held, 1),
  renew: (store) => store.renew(claim, 1),
  confirm: (store) => store.confirm('a', 'r', '{}', 1),
  release: (store) => store.release(claim),
  abandon: (store) => store.abandon(claim),
  sweep: (store) => store.sweep(1),
});
