import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { positionsStoreContract } from './positions.store.contract';
import { LibsqlPositionsStore } from './positions.store.libsql';

describe('LibsqlPositionsStore', () => {
  positionsStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlPositionsStore(database);
    await store.migrate();
    return { store, close };
  });
});
