import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { refusalsStoreContract } from './refusals.store.contract';
import { MongooseRefusalsStore } from './refusals.store.mongoose';

describeWithMongo('MongooseRefusalsStore', (open) => {
  refusalsStoreContract(async () => {
    const store = new MongooseRefusalsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});
