import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from '@lettermill/storage';
import { describeClaimStore } from './send/claims.store.contract';
import { LibsqlClaimStore } from './send/claims.store.libsql';
import { describeKeyStore } from './accounts/keys.store.contract';
import { LibsqlKeyStore } from './accounts/keys.store.libsql';

async function temporary<T>(make: (database: SqlDatabase) => T): Promise<{ store: T; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'lettermill-gateway-'));
  const database = new SqlDatabase(join(directory, 'test.db'));
  return {
    store: make(database),
    close: async () => {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

describeKeyStore('libsql', () => temporary((database) => new LibsqlKeyStore(database)));
describeClaimStore('libsql', () => temporary((database) => new LibsqlClaimStore(database)));
