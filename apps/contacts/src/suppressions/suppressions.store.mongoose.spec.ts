import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { suppressionsStoreContract } from './suppressions.store.contract';
import { MongooseSuppressionsStore } from './suppressions.store.mongoose';

describeWithMongo('MongooseSuppressionsStore', (open) => {
  suppressionsStoreContract(async () => {
    const store = new MongooseSuppressionsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});
