import { describeWithMongo } from '../../../../libs/storage/src/mongoose/testing/mongo';
import { planOf } from '../../../../libs/storage/src/mongoose/testing/plan';
import { contactTerms } from './message.record';
import { searchWalks } from './messages.search.mongoose';
import type { MessageFilter } from './messages.store';
import { messagesStoreContract } from './messages.store.contract';
import { MongooseMessagesStore } from './messages.store.mongoose';

describeWithMongo('MongooseMessagesStore', (open) => {
  messagesStoreContract(async () => {
    const store = new MongooseMessagesStore(await open());
    await store.migrate();
    return { store, close: () => Promise.resolve() };
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
    const connection = await open();
    await new MongooseMessagesStore(connection).migrate();
    for (const walk of searchWalks('a', filter, { limit: 3, before: 'z' })) {
      const messages = connection.db!.collection('tracker_message');
      const cursor = messages.find(walk.filter, { hint: walk.index }).sort({ message_id: -1 }).limit(3);
      expect(planOf(await cursor.explain())).toEqual({ indexes: [walk.index], scans: false, sorts: false });
    }
  });
});
