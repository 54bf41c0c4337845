import { instant, messageId, START } from '../testing/events';
import { idsOf, messagesIn } from '../testing/stored.messages';
import { contactTerms } from './message.record';
import type { MessagesStore } from './messages.store';

const ms = (second: number) => START + second * 1000;

/** A call may take the place of an unanswered one whose messages are on the log: then a message has several requests. */
export function messagesTakeoverContract(store: () => MessagesStore): void {
  const { tell, load, found } = messagesIn(store);
  const named = { external_message_id: 'order-1' };

  it('finds a message by each call that named it, newest first, page by page', async () => {
    await tell(messageId(1), (m) => [m.requestedBy(1, 'R1', named)]);
    await tell(messageId(1), (m) => [m.requestedBy(40, 'R2', named)]);
    await tell(messageId(40), (m) => [m.requestedBy(40, 'R2')]);
    await tell(messageId(2), (m) => [m.requestedBy(2, 'R1'), m.requestedBy(40, 'R2'), m.requestedBy(80, 'R3')]);
    expect(await found({ requestId: 'R1' })).toEqual(idsOf(2, 1));
    expect(await found({ requestId: 'R2' })).toEqual(idsOf(40, 2, 1));
    expect(await found({ requestId: 'R3' })).toEqual(idsOf(2));
    expect(await found({ requestId: 'R2' }, 2)).toEqual(idsOf(40, 2));
    expect(await found({ requestId: 'R2' }, 2, messageId(2))).toEqual(idsOf(1));
    expect(await found({ requestId: 'R2' }, 10, undefined, 'b')).toEqual([]);
  });

  it('finds it by each call, even if the first one is read last', async () => {
    await tell(messageId(1), (m) => [m.requestedBy(40, 'R2')]);
    expect(await found({ requestId: 'R2' })).toEqual(idsOf(1));
    await tell(messageId(1), (m) => [m.requestedBy(1, 'R1')]);
    expect(await found({ requestId: 'R1' })).toEqual(idsOf(1));
    expect(await found({ requestId: 'R2' })).toEqual(idsOf(1));
    expect((await load(messageId(1)))!.facts).toMatchObject([{ at: instant(1) }, { at: instant(40) }]);
  });

  it('combines the later call with other filters; the time is that of the first', async () => {
    await tell(messageId(1), (m) => [m.requestedBy(1, 'R1', named), m.requestedBy(4000, 'R2', named), m.failed(4001)]);
    await tell(messageId(4000), (m) => [m.requestedBy(4000, 'R2')]);
    const contact = contactTerms('ada@x.org');
    expect(await found({ requestId: 'R2', states: ['failed'], contact })).toEqual(idsOf(1));
    expect(await found({ requestId: 'R2', externalMessageId: 'order-1' })).toEqual(idsOf(1));
    expect(await found({ requestId: 'R3', externalMessageId: 'order-1' })).toEqual([]);
    expect(await found({ requestId: 'R2', from: ms(1), to: ms(1) })).toEqual(idsOf(1));
    expect(await found({ requestId: 'R2', from: ms(2) })).toEqual(idsOf(4000));
  });

  it('finds by the later call, in a range of time, a message whose id is days older than its acceptance', async () => {
    const day = 24 * 3600;
    await tell(messageId(1), (m) => [m.requestedBy(9 * day, 'R1'), m.requestedBy(9 * day + 40, 'R2')]);
    expect(await found({ requestId: 'R2', from: ms(9 * day) })).toEqual(idsOf(1));
    expect(await found({ requestId: 'R3', from: ms(9 * day) })).toEqual([]);
  });

  it('does not find by a contact what looks like a request', async () => {
    await tell(messageId(1), (m) => [m.requestedBy(1, 'R1'), m.requestedBy(40, 'R2')]);
    for (const searched of ['R1', 'R2', '#R2']) expect(await found({ contact: contactTerms(searched) })).toEqual([]);
  });
}
