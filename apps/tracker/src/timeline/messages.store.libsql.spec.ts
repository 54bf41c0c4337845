import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { eventsOf, factsOf, messageId as idAt } from '../testing/events';
import { SEARCHES } from '../testing/searches';
import { changeOf } from './message.record';
import { searchQueries } from './messages.search.libsql';
import { messagesStoreContract } from './messages.store.contract';
import type { MessageFilter } from './messages.store';
import { LibsqlMessagesStore } from './messages.store.libsql';

describe('LibsqlMessagesStore', () => {
  messagesStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    return { store, close };
  });

  it('does not queue a search by id behind searches over many messages', async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    const facts = factsOf([eventsOf(idAt(1)).requested(1)]);
    await store.save([changeOf({ accountId: 'a', messageId: idAt(1), facts: [], revision: 0 }, facts)!]);
    const search = jest.spyOn(database, 'search').mockReturnValue(new Promise(() => undefined));
    for (const filter of [{ externalMessageId: 'none' }, { requestId: 'none', from: 0 }]) {
      expect(await store.search('a', filter, { limit: 9 })).toEqual({ records: [], hasMore: false });
    }
    expect(search).not.toHaveBeenCalled();
    void store.search('a', { states: ['accepted'] }, { limit: 9 });
    expect(search).toHaveBeenCalledTimes(1);
    await close();
  });

  it('stores the facts behind all columns that searches compare, so that no search reads through them', async () => {
    const { database, close } = await openDatabase();
    await new LibsqlMessagesStore(database).migrate();
    const columns = await database.read("SELECT name FROM pragma_table_info('tracker_message')");
    expect(columns.at(-1)).toEqual({ name: 'facts' });
    await close();
  });

  it.each<[MessageFilter]>([
    [{ states: ['queued', 'deferred'], campaign: 'welcome' }],
    [{ states: ['failed'], from: 1, to: 2 }],
    [{ reason: 'refused', campaign: 'welcome', from: 1 }],
  ])('reads no row that is not found for %j, which may walk all that wait or failed', async (filter) => {
    const { database, close } = await openDatabase();
    await new LibsqlMessagesStore(database).migrate();
    const [{ sql, params }] = searchQueries('a', filter, { limit: 3, before: 'z' }) as [{ sql: string; params: [] }];
    const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, params);
    const walks = plan.map(({ detail }) => detail as string).filter((detail) => /message_(state|reason)/.test(detail));
    expect(walks.length).toBeGreaterThan(0);
    for (const walk of walks) expect(walk).toContain('COVERING INDEX');
    await close();
  });

  it.each(SEARCHES)('walks indexes in their order for %j, without scanning or sorting', async (filter) => {
    const { database, close } = await openDatabase();
    await new LibsqlMessagesStore(database).migrate();
    for (const { sql, params } of searchQueries('a', filter, { limit: 3, before: 'z' })) {
      const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, params);
      const bad = plan.filter(({ parent, detail }) => {
        // The only sort allowed is the last one, of the rows of the page.
        const page = parent === 0 && /FOR ORDER BY$/.test(detail as string);
        return /^SCAN [mto]\b/.test(detail as string) || (/TEMP B-TREE/.test(detail as string) && !page);
      });
      expect(bad).toEqual([]);
    }
    await close();
  });
});
