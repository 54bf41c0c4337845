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
it('keys stored before keys had names have none', async () => {
  const { database, close } = await openDatabase();
  const table =
    'CREATE TABLE gateway_keys (hash TEXT PRIMARY KEY, account_id TEXT NOT NULL, created_at INTEGER NOT NULL)';
  await database.migrate('gateway.keys', [{ name: '1-keys', statements: [`${table} WITHOUT ROWID`] }]);
  await database.write([{ sql: 'INSERT INTO gateway_keys VALUES (?, ?, ?)', rows: [['h', 'a', 1]] }]);
  const store = new LibsqlKeyStore(database);
  await store.migrate();
  expect(await store.all()).toEqual([{ hash: 'h', accountId: 'a', name: null, createdAt: 1 }]);
  await close();
});

describeClaimStore('libsql', () => temporary((database) => new LibsqlClaimStore(database)));
