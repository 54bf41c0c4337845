import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { refusalsStoreContract } from './refusals.store.contract';
import { LibsqlRefusalsStore } from './refusals.store.libsql';

describe('LibsqlRefusalsStore', () => {
  refusalsStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlRefusalsStore(database);
    await store.migrate();
    return { store, close };
  });
});
