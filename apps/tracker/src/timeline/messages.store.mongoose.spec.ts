import type { MongoDriver } from '@lettermill/storage';
import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { eventsOf, factsOf, messageId } from '../testing/events';
import { SEARCHES } from '../testing/searches';
import { changeOf } from './message.record';
import { markLate } from './messages.late.mongoose';
import { searchWalks } from './messages.search.mongoose';
import { messagesStoreContract } from './messages.store.contract';
import { MongooseMessagesStore } from './messages.store.mongoose';

describeWithMongo('MongooseMessagesStore', (open) => {
  messagesStoreContract(async () => {
    const store = new MongooseMessagesStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
  });

  it('finds by reason messages that were stored before reasons were searched', async () => {
    const connection = await open();
    const store = new MongooseMessagesStore(connection);
    await store.migrate();
    const { requested, deferred, sent, usedUp } = eventsOf(messageId(1));
    const other = eventsOf(messageId(2));
    const blank = { accountId: 'a', facts: [], revision: 0 };
    await store.save([
      changeOf({ ...blank, messageId: messageId(1) }, factsOf([requested(1), deferred(2, 1), usedUp(60, 2)]))!,
      changeOf(
        { ...blank, messageId: messageId(2) },
        factsOf([other.requested(1), other.deferred(2, 1), sent(60, 2)]),
      )!,
    ]);
    await connection.db!.collection('tracker_message').updateMany({}, { $unset: { reason: '' } });
    await connection.db!.collection('migrations').deleteMany({ name: '002-reasons' });
    await store.migrate();
    const by = async (reason: string) =>
      (await store.search('a', { reason }, { limit: 9 })).map((record) => record.messageId);
    expect(await by('attempts_used_up')).toEqual([messageId(1)]);
    expect(await by('greylisted')).toEqual([]);
  });

  it('finds by time messages that were stored while ids could be off by a day', async () => {
    const connection = await open();
    const store = new MongooseMessagesStore(connection);
    await store.migrate();
    const times = [
      [7, 7],
      [8, 67],
      [9, 3600],
      [1e6, 1e6 - 100],
    ] as const;
    for (const [id, accepted] of times) {
      const facts = factsOf([eventsOf(messageId(id)).requested(accepted)]);
      await store.save([changeOf({ accountId: 'a', messageId: messageId(id), facts: [], revision: 0 }, facts)!]);
    }
    const messages = connection.db!.collection('tracker_message');
    const late = async () =>
      (await messages.find().sort({ message_id: 1 }).toArray()).map((one) => one.late as boolean);
    expect(await late()).toEqual([false, false, true, true]);
    await messages.updateMany({}, { $set: { late: false } });
    await connection.db!.collection('migrations').deleteMany({ name: '003-late' });
    await store.migrate();
    expect(await late()).toEqual([false, false, true, true]);
    for (const batch of [1, 2, 3, 4]) {
      await messages.updateMany({}, { $set: { late: false } });
      await markLate(connection.db!, batch);
      expect(await late()).toEqual([false, false, true, true]);
    }
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
        const read = cursor.toArray.bind(cursor);
        cursor.toArray = () => ended.then(read);
      }
      return cursor;
    }) as typeof find);
    const searches = Array.from({ length: 40 }, () => store.search('a', { states: ['sent'] }, { limit: 9 }));
    expect(await store.search('a', { externalMessageId: 'none' }, { limit: 9 })).toEqual([]);
    expect(wide).toBe(4);
    end();
    expect((await Promise.all(searches)).flat()).toEqual([]);
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
