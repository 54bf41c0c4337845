import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { describeClaimStore } from './claims.store.contract';
import { LibsqlClaimStore } from './claims.store.libsql';

describeClaimStore('libsql', async () => {
  const { database, close } = await openDatabase();
  return { store: new LibsqlClaimStore(database), close };
});
