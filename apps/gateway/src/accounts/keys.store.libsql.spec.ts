import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { describeKeyStore } from './keys.store.contract';
import { LibsqlKeyStore } from './keys.store.libsql';

describeKeyStore('libsql', async () => {
  const { database, close } = await openDatabase();
  return { store: new LibsqlKeyStore(database), close };
});
