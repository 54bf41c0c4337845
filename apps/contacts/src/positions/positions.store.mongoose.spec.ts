import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { reachStoreContract } from './reach.store.contract';
import { MongooseReachStore } from './reach.store.mongoose';

describeWithMongo('MongooseReachStore', (open) => {
  reachStoreContract(async () => {
    const store = new MongooseReachStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});
