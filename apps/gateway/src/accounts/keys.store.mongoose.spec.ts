import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { describeKeyStore } from './keys.store.contract';
import { MongooseKeyStore } from './keys.store.mongoose';

describeWithMongo('MongooseKeyStore', (open) => {
  describeKeyStore('mongoose', async () => ({
    store: new MongooseKeyStore(await open()),
    close: () => Promise.resolve(),
  }));
});
