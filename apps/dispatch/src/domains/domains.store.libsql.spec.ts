import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlDatabase } from '@lettermill/storage';
import { domainStoreContract } from './domains.store.contract';
import { LibsqlDomainStore } from './domains.store.libsql';

describe('LibsqlDomainStore', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-domains-'));
  const open: SqlDatabase[] = [];
  afterEach(() => Promise.all(open.splice(0).map((database) => database.close())));
  afterAll(() => rmSync(directory, { recursive: true }));

  let files = 0;
  domainStoreContract(async () => {
    const database = new SqlDatabase(join(directory, `${(files += 1)}.db`));
    open.push(database);
    const store = new LibsqlDomainStore(database);
    await store.migrate();
    return store;
  });
});
