import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { contactsStoreContract } from './contacts.store.contract';
import { MongooseContactsStore } from './contacts.store.mongoose';
import type { ContactsStore } from './contacts.store';
import { newContact } from './contact';

describeWithMongo('MongooseContactsStore', (open) => {
  contactsStoreContract(async () => {
    const store = new MongooseContactsStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });
});

const refOf = (kind: string) => ({ accountId: 'a', kind, value: 'v' });
describeDenied<ContactsStore>('MongooseContactsStore', (connection) => new MongooseContactsStore(connection), {
  migrate: (store) => store.migrate(),
  load: (store) => store.load([refOf('id')]),
  loadWithin: (store) => store.loadWithin([refOf('email')], 1),
  save: (store) => store.save([newContact({ accountId: 'a', kind: 'email' }, 'ada@example.com', 'id', 1)]),
  forgetApplied: (store) => store.forgetApplied(),
});
