import { migrateMongo } from '@lettermill/storage';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { describeClaimStore } from './claims.store.contract';
import { MongooseClaimStore } from './claims.store.mongoose';

describeWithMongo('MongooseClaimStore', (open) => {
  describeClaimStore('mongoose', async () => {
    const connection = await open();
    const store = new MongooseClaimStore(connection);
    await store.migrate();
    // The times in the suite are long past: the server would remove keys in the middle of a test.
    const withoutExpiry = (database: NonNullable<typeof connection.db>) =>
      database.collection('gateway_names').dropIndex('gateway_names_expiry');
    await migrateMongo(connection, 'test', [{ name: '1-no-expiry', apply: withoutExpiry }]);
    return { store, close: () => Promise.resolve() };
  });
});
