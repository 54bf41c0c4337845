import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { contactTerms } from './message.record';
import { searchQueries } from './messages.search.libsql';
import type { MessageFilter } from './messages.store';
import { messagesStoreContract } from './messages.store.contract';
import { LibsqlMessagesStore } from './messages.store.libsql';

describe('LibsqlMessagesStore', () => {
  messagesStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    return { store, close };
  });

  it.each([
    [{}],
    [{ state: 'sent' }],
    [{ campaign: 'welcome' }],
    [{ contact: contactTerms('ada@x.org'), state: 'sent' }],
    [{ requestId: 'r' }],
    [{ externalMessageId: 'e', campaign: 'welcome' }],
    [{ from: 1, to: 2, state: 'sent' }],
    [{ from: 1, contact: contactTerms('ada@x.org') }],
  ] as [MessageFilter][])('walks indexes in their order for %j: nothing is scanned, nothing sorted', async (filter) => {
    const { database, close } = await openDatabase();
    await new LibsqlMessagesStore(database).migrate();
    for (const { sql, params } of searchQueries('a', filter, { limit: 3, before: 'z' })) {
      const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, params);
      const bad = plan.filter(({ parent, detail }) => {
        // At the end the rows of the page alone are put in order.
        const page = parent === 0 && /FOR ORDER BY$/.test(detail as string);
        return /^SCAN [mto]\b/.test(detail as string) || (/TEMP B-TREE/.test(detail as string) && !page);
      });
      expect(bad).toEqual([]);
    }
    await close();
  });
});
