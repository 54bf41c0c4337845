import type { SqlDatabase } from '@lettermill/storage';
import { openDatabase } from '../../../libs/storage/src/libsql/testing/database';
import { describeClaimStore } from './send/claims.store.contract';
import { LibsqlClaimStore } from './send/claims.store.libsql';
import { describeKeyStore } from './accounts/keys.store.contract';
import { LibsqlKeyStore } from './accounts/keys.store.libsql';

async function temporary<T>(make: (database: SqlDatabase) => T): Promise<{ store: T; close(): Promise<void> }> {
  const { database, close } = await openDatabase();
  return { store: make(database), close };
}

describeKeyStore('libsql', () => temporary((database) => new LibsqlKeyStore(database)));
describeClaimStore('libsql', () => temporary((database) => new LibsqlClaimStore(database)));
