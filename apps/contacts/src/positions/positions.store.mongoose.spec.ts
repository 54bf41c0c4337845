import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { positionsStoreContract } from './positions.store.contract';
import { MongoosePositionsStore } from './positions.store.mongoose';

describeWithMongo('MongoosePositionsStore', (open) => {
  positionsStoreContract(async () => {
    const store = new MongoosePositionsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});
