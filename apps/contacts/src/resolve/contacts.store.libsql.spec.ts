import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { contactsStoreContract } from './contacts.store.contract';
import { LibsqlContactsStore } from './contacts.store.libsql';

describe('LibsqlContactsStore', () => {
  contactsStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlContactsStore(database);
    await store.migrate();
    return { store, close };
  });
});
