import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { contactsStoreContract } from './contacts.store.contract';
import { MongooseContactsStore } from './contacts.store.mongoose';

describeWithMongo('MongooseContactsStore', (open) => {
  contactsStoreContract(async () => {
    const store = new MongooseContactsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});
