import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { suppressionsStoreContract } from './suppressions.store.contract';
import { LibsqlSuppressionsStore, LIST, LIST_OF_REASON } from './suppressions.store.libsql';

describe('LibsqlSuppressionsStore', () => {
  suppressionsStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlSuppressionsStore(database);
    await store.migrate();
    return { store, close };
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
