import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { suppressionsStoreContract } from './suppressions.store.contract';
import { LibsqlSuppressionsStore } from './suppressions.store.libsql';

describe('LibsqlSuppressionsStore', () => {
  suppressionsStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlSuppressionsStore(database);
    await store.migrate();
    return { store, close };
  });
});
