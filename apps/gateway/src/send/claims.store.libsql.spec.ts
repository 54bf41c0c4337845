import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { claimStoreContract } from './claims.store.contract';
import { LibsqlClaimStore } from './claims.store.libsql';

describe('LibsqlClaimStore', () => {
  claimStoreContract(async () => {
    const { database, close } = await openDatabase();
    return { store: new LibsqlClaimStore(database), close };
  });
});
