import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { keyStoreContract } from './keys.store.contract';
import { LibsqlKeyStore } from './keys.store.libsql';

describe('LibsqlKeyStore', () => {
  keyStoreContract(async () => {
    const { database, close } = await openDatabase();
    return { store: new LibsqlKeyStore(database), close };
  });
});
