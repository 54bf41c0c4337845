import { eventsOf, messageId } from '../testing/events';
import { blank, idsOf, messagesIn } from '../testing/stored.messages';
import { factOf } from './message.facts';
import { changeOf, contactTerms } from './message.record';
import { messagesSearchContract } from './messages.search.contract';
import type { MessagesStore } from './messages.store';
import { messagesTakeoverContract } from './messages.takeover.contract';
import { TimelineWriter } from './timeline.writer';

export interface OpenMessagesStore {
  store: MessagesStore;
  close(): Promise<void>;
}

/** The suite that every adapter of the messages store runs; `open` makes a fresh, migrated one. */
export function messagesStoreContract(open: () => Promise<OpenMessagesStore>): void {
  let opened: OpenMessagesStore;
  let store: MessagesStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  const { load, tell, accept, found } = messagesIn(() => store);

  it('finds nothing in an empty store', async () => {
    expect(await store.load([])).toEqual([]);
    expect(await store.save([])).toEqual([]);
    expect(await load(messageId(1))).toBeUndefined();
    expect(await found({})).toEqual([]);
  });

  it('returns what was saved, with its revision, of the account only', async () => {
    await tell(messageId(1), (m) => [m.queued(2)]);
    await tell(messageId(1), (m) => [m.requested(1), m.sent(3, 1)]);
    const record = await load(messageId(1));
    expect(record).toMatchObject({ accountId: 'a', messageId: messageId(1), revision: 2 });
    expect(record!.facts.map(({ type }) => type)).toEqual(['accepted', 'queued', 'sent']);
    expect(await load(messageId(1), 'b')).toBeUndefined();
    expect(await found({}, 10, undefined, 'b')).toEqual([]);
  });

  it('refuses to overwrite a concurrent change, and saves the others', async () => {
    await accept(1);
    const seen = (await load(messageId(1)))!;
    await tell(messageId(1), (m) => [m.queued(2)]);
    const late = changeOf(seen, [factOf(eventsOf(messageId(1)).bounced(3, 1))!])!;
    const other = changeOf(blank(messageId(2), 'a'), [factOf(eventsOf(messageId(2)).requested(2))!])!;
    expect(await store.save([late, other])).toMatchObject([{ accountId: 'a', messageId: messageId(1) }]);
    expect((await load(messageId(1)))!.facts.map(({ type }) => type)).toEqual(['accepted', 'queued']);
    expect(await store.save([other])).toMatchObject([{ messageId: messageId(2) }]);
    expect(await found({})).toEqual(idsOf(2, 1));
    expect(await found({ reason: 'mailbox_unknown' })).toEqual([]);
  });

  it('takes nothing of a refused save into the search', async () => {
    await tell(messageId(1), (m) => [m.queued(2)]);
    const seen = (await load(messageId(1)))!;
    await tell(messageId(1), (m) => [m.sending(3, 1)]);
    const late = changeOf(seen, [factOf(eventsOf(messageId(1)).requested(1))!])!;
    expect(await store.save([late])).toHaveLength(1);
    expect(await found({})).toEqual([]);
  });

  it('keeps every fact that two processes write of the same messages at once', async () => {
    const writers = [new TimelineWriter(store), new TimelineWriter(store)];
    const seconds = Array.from({ length: 20 }, (_, at) => at);
    await Promise.all(
      seconds.flatMap((second) => {
        const m = eventsOf(messageId(second));
        const events = [m.requested(1), m.resolved(2), m.queued(3), m.deferred(4, 1), m.sending(70, 2), m.sent(70, 2)];
        return events.flatMap((event, at) => [
          writers[(second + at) % 2]!.write([event]),
          writers[at % 2]!.write([event, events[(at + 1) % events.length]!]),
        ]);
      }),
    );
    const records = await store.load(seconds.map((second) => ({ accountId: 'a', messageId: messageId(second) })));
    expect(records.map(({ facts }) => facts.length)).toEqual(seconds.map(() => 6));
    expect(await found({ states: ['sent'], contact: contactTerms('ada@x.org') }, 30)).toEqual(
      idsOf(...seconds).reverse(),
    );
    expect(await found({ reason: 'greylisted' })).toEqual([]);
  });

  it('loads and saves many at once', async () => {
    const seconds = Array.from({ length: 300 }, (_, at) => 1000 + at);
    const changes = seconds.map((at) => {
      const id = messageId(at);
      return changeOf(blank(id, 'a'), [factOf(eventsOf(id).requested(at))!])!;
    });
    expect(await store.save(changes)).toEqual([]);
    const refs = seconds.map((at) => ({ accountId: 'a', messageId: messageId(at) }));
    expect(await store.load(refs)).toHaveLength(300);
  });

  describe('search', () => messagesSearchContract(() => store));
  describe('search by a request', () => messagesTakeoverContract(() => store));
}
