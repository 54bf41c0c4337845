import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { suppressionsStoreContract } from './suppressions.store.contract';
import { olderSuppressionsContract } from './suppressions.causes.contract';
import { LibsqlSuppressionsStore, LIST, LIST_OF_REASON, TABLE } from './suppressions.store.libsql';

describe('LibsqlSuppressionsStore', () => {
  suppressionsStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlSuppressionsStore(database);
    await store.migrate();
    return { store, close };
  });

  describe('on a file of an older version', () => {
    olderSuppressionsContract(async (older) => {
      const { database, close } = await openDatabase();
      await database.migrate('contacts.suppressions', [{ name: '1-suppressions', statements: TABLE }]);
      const rows = older.map((one) => {
        const { accountId, address, reason, messageId, at, releasedAt, unsubscribedAt, clearedAt } = one;
        const unsubscription = unsubscribedAt === undefined ? [null, null] : [unsubscribedAt, 'm0'];
        return [accountId, address, reason, messageId, at, releasedAt ?? null, ...unsubscription, clearedAt ?? null];
      });
      await database.write([{ sql: 'INSERT INTO contacts_suppression VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', rows }]);
      const store = new LibsqlSuppressionsStore(database);
      await store.migrate();
      return { store, close };
    });
  });

  it.each([
    ['newest', LIST],
    ['reason', LIST_OF_REASON],
  ])('walks the index «%s» in its order, without sorting', async (index, sql) => {
    const { database, close } = await openDatabase();
    await new LibsqlSuppressionsStore(database).migrate();
    const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, Array<number>(sql.split('?').length - 1).fill(1));
    const step = expect.stringContaining(`USING INDEX contacts_suppression_${index}`);
    expect(plan).toEqual([expect.objectContaining({ detail: step })]);
    await close();
  });
});
