import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { reachStoreContract } from './reach.store.contract';
import { FIRST_MIGRATIONS, LibsqlReachStore } from './reach.store.libsql';

describe('LibsqlReachStore', () => {
  reachStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlReachStore(database);
    await store.migrate();
    return { store, close };
  });

  it('takes over positions that were stored by partition number only', async () => {
    const { database, close } = await openDatabase();
    await database.migrate('contacts.reach', FIRST_MIGRATIONS);
    await database.write([{ sql: 'INSERT INTO contacts_reach VALUES (?, ?, ?)', rows: [[7, 5, 'e']] }]);
    const store = new LibsqlReachStore(database);
    await store.migrate();
    expect(await store.load()).toEqual([{ place: '7', position: 5, eventId: 'e' }]);
    await close();
  });
});
