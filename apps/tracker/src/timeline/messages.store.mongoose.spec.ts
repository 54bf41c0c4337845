import { pause } from '@lettermill/concurrency';
import type { MongoDriver } from '@lettermill/storage';
import { describeDenied } from '../../../../libs/storage/src/mongoose/testing/denied.store';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { eventsOf, factsOf, messageId } from '../testing/events';
import { SEARCHES } from '../testing/searches';
import { messagesIn } from '../testing/stored.messages';
import { changeOf } from './message.record';
import { searchWalks } from './messages.search.mongoose';
import { messagesStoreContract } from './messages.store.contract';
import { MongooseMessagesStore } from './messages.store.mongoose';
import type { MessagesStore } from './messages.store';

describeWithMongo('MongooseMessagesStore', (open) => {
  messagesStoreContract(async () => {
    const store = new MongooseMessagesStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });

  it('reads which of its changes were written only if one was not', async () => {
    const connection = await open();
    const store = new MongooseMessagesStore(connection);
    await store.migrate();
    const change = (second: number) => {
      const blank = { accountId: 'a', messageId: messageId(second), facts: [], revision: 0 };
      return changeOf(blank, factsOf([eventsOf(messageId(second)).requested(second)]))!;
    };
    const collection = Object.getPrototypeOf(connection.db!.collection('tracker_message')) as MongoDriver.Collection;
    const find = jest.spyOn(collection, 'find');
    expect(await store.save([change(1), change(2)])).toEqual([]);
    expect(await store.save([{ ...change(2), revision: 1 }])).toEqual([]);
    expect(find).not.toHaveBeenCalled();
    expect(await store.save([change(2), change(3)])).toMatchObject([{ messageId: messageId(2) }]);
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
  });

  it('runs only a few searches over many messages at a time, and searches by id meanwhile', async () => {
    const connection = await open();
    const store = new MongooseMessagesStore(connection);
    await store.migrate();
    const collection = Object.getPrototypeOf(connection.db!.collection('tracker_message')) as MongoDriver.Collection;
    const find = collection.find.bind(connection.db!.collection('tracker_message'));
    let wide = 0;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const spy = jest.spyOn(collection, 'find').mockImplementation(((filter: object, options: object) => {
      const cursor = find(filter, options);
      if ('state' in filter) {
        wide += 1;
        const read = cursor.next.bind(cursor);
        cursor.next = () => ended.then(read);
      }
      return cursor;
    }) as typeof find);
    const none = { records: [], hasMore: false };
    const searches = Array.from({ length: 40 }, () => store.search('a', { states: ['sent'] }, { limit: 9 }));
    expect(await store.search('a', { externalMessageId: 'none' }, { limit: 9 })).toEqual(none);
    expect(wide).toBe(4);
    end();
    expect(await Promise.all(searches)).toEqual(searches.map(() => none));
    spy.mockRestore();
  });

  it('misses no message of a request of which an earlier one becomes known meanwhile', async () => {
    const connection = await open();
    const store = new MongooseMessagesStore(connection);
    await store.migrate();
    const { tell, found } = messagesIn(() => store);
    await tell(messageId(1), (m) => [m.requestedBy(40, 'R2')]);
    const messages = connection.db!.collection('tracker_message');
    const collection = Object.getPrototypeOf(messages) as MongoDriver.Collection;
    const find = collection.find.bind(messages);
    const spy = jest.spyOn(collection, 'find').mockImplementation(((filter: object, options: object) => {
      const cursor = find(filter, options);
      if (!('request_id' in filter)) return cursor;
      const read = cursor.next.bind(cursor);
      cursor.next = async () => {
        cursor.next = read;
        await pause(200); // walks that run at the same time have ended
        await tell(messageId(1), (m) => [m.requestedBy(1, 'R1')]);
        return read();
      };
      return cursor;
    }) as typeof find);
    expect(await found({ requestId: 'R2' })).toEqual([messageId(1)]);
    spy.mockRestore();
  });

  it.each(SEARCHES)('walks indexes in their order for %j, without scanning or sorting', async (filter) => {
    const connection = await open();
    await new MongooseMessagesStore(connection).migrate();
    for (const walk of searchWalks('a', filter, { limit: 3, before: 'z' })) {
      const messages = connection.db!.collection('tracker_message');
      const cursor = messages.find(walk.filter, { hint: walk.index }).sort({ message_id: -1 }).limit(3);
      expect(planOf(await cursor.explain())).toEqual({ indexes: [walk.index], scans: false, sorts: false });
    }
  });
});

describeDenied<MessagesStore>('MongooseMessagesStore', (connection) => new MongooseMessagesStore(connection), {
  migrate: (store) => store.migrate(),
  load: (store) => store.load([{ accountId: 'a', messageId: messageId(1) }]),
  save: (store) => {
    const blank = { accountId: 'a', messageId: messageId(1), facts: [], revision: 0 };
    return store.save([changeOf(blank, factsOf([eventsOf(messageId(1)).requested(1)]))!]);
  },
  search: (store) => store.search('a', {}, { limit: 1 }),
});
