import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { reachStoreContract } from './reach.store.contract';
import { LibsqlReachStore } from './reach.store.libsql';

describe('LibsqlReachStore', () => {
  reachStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlReachStore(database);
    await store.migrate();
    return { store, close };
  });
});
