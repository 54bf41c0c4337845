import { migrateMongo } from '@lettermill/storage';
import { describeWithMongo } from '../../../libs/storage/src/mongoose/testing/mongo';
import { describeKeyStore } from './accounts/keys.store.contract';
import { MongooseKeyStore } from './accounts/keys.store.mongoose';
import { describeClaimStore } from './send/claims.store.contract';
import { MongooseClaimStore } from './send/claims.store.mongoose';

const nothing = () => Promise.resolve();

describeWithMongo('stores of the gateway in MongoDB', (open) => {
  describeKeyStore('mongoose', async () => ({ store: new MongooseKeyStore(await open()), close: nothing }));

  describeClaimStore('mongoose', async () => {
    const connection = await open();
    const store = new MongooseClaimStore(connection);
    await store.migrate();
    // The times in the suite are long past: the server would remove keys in the middle of a test.
    const withoutExpiry = (database: NonNullable<typeof connection.db>) =>
      database.collection('gateway_names').dropIndex('gateway_names_expiry');
    await migrateMongo(connection, 'test', [{ name: '1-no-expiry', apply: withoutExpiry }]);
    return { store, close: nothing };
  });
});
