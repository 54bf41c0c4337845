import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { keyStoreContract } from './keys.store.contract';
import { MongooseKeyStore } from './keys.store.mongoose';

describeWithMongo('MongooseKeyStore', (open) => {
  keyStoreContract(async () => ({
    store: new MongooseKeyStore(await open()),
    close: () => Promise.resolve(),
  }));
});
