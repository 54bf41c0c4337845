import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import type { ReceivedEvent } from '@lettermill/events';
import { eventsOf, factsOf, messageId as idAt } from '../testing/events';
import { SEARCHES } from '../testing/searches';
import { changeOf } from './message.record';
import { searchQueries } from './messages.search.libsql';
import { messagesStoreContract } from './messages.store.contract';
import { LibsqlMessagesStore } from './messages.store.libsql';

describe('LibsqlMessagesStore', () => {
  messagesStoreContract(async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    return { store, close };
  });

  it('finds by reason messages that were stored before reasons were searched', async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    const save = (second: number, ...events: ReceivedEvent[]) => {
      const messageId = idAt(second);
      return store.save([changeOf({ accountId: 'a', messageId, facts: [], revision: 0 }, factsOf(events))!]);
    };
    const eventsAt = (second: number) => eventsOf(idAt(second));
    await save(1, eventsAt(1).requested(1), eventsAt(1).deferred(2, 1), eventsAt(1).usedUp(60, 2));
    await save(2, eventsAt(2).requested(1), eventsAt(2).sent(2, 1), eventsAt(2).returned(9));
    await save(3, eventsAt(3).requested(1), eventsAt(3).deferred(2, 1), eventsAt(3).sent(60, 2));
    for (const sql of ['DROP INDEX tracker_message_reason', 'ALTER TABLE tracker_message DROP COLUMN reason']) {
      await database.write([{ sql, rows: [[]] }]);
    }
    await database.write([{ sql: `DELETE FROM migrations WHERE name = '002-reasons'`, rows: [[]] }]);
    await store.migrate();
    const by = async (reason: string) =>
      (await store.search('a', { reason }, { limit: 9 })).map(({ messageId }) => messageId);
    expect(await by('attempts_used_up')).toEqual([idAt(1)]);
    expect(await by('mailbox_unknown')).toEqual([idAt(2)]);
    expect(await by('greylisted')).toEqual([]);
    await close();
  });

  it('does not queue a search by id behind searches over many messages', async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    const facts = factsOf([eventsOf(idAt(1)).requested(1)]);
    await store.save([changeOf({ accountId: 'a', messageId: idAt(1), facts: [], revision: 0 }, facts)!]);
    const search = jest.spyOn(database, 'search').mockReturnValue(new Promise(() => undefined));
    for (const filter of [{ externalMessageId: 'none' }, { requestId: 'none', from: 0 }]) {
      expect(await store.search('a', filter, { limit: 9 })).toEqual([]);
    }
    expect(search).not.toHaveBeenCalled();
    void store.search('a', { states: ['accepted'] }, { limit: 9 });
    expect(search).toHaveBeenCalledTimes(1);
    await close();
  });

  it('finds by time messages that were stored while ids could be off by a day', async () => {
    const { database, close } = await openDatabase();
    const store = new LibsqlMessagesStore(database);
    await store.migrate();
    const times = [
      [7, 7],
      [8, 67],
      [9, 3600],
      [1e6, 1e6 - 100],
    ] as const;
    for (const [id, accepted] of times) {
      const facts = factsOf([eventsOf(idAt(id)).requested(accepted)]);
      await store.save([changeOf({ accountId: 'a', messageId: idAt(id), facts: [], revision: 0 }, facts)!]);
    }
    const late = () => database.read('SELECT late FROM tracker_message ORDER BY message_id');
    const kept = await late();
    expect(kept.map(({ late }) => late)).toEqual([0, 0, 1, 1]);
    await database.write([{ sql: 'UPDATE tracker_message SET late = 0', rows: [[]] }]);
    await database.write([{ sql: `DELETE FROM migrations WHERE name = '003-late'`, rows: [[]] }]);
    await store.migrate();
    expect(await late()).toEqual(kept);
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
