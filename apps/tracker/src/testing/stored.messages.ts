import { factOf } from '../timeline/message.facts';
import { changeOf, type MessageRecord } from '../timeline/message.record';
import type { MessageFilter, MessagesStore } from '../timeline/messages.store';
import { eventsOf, messageId } from './events';

type Make = (events: ReturnType<typeof eventsOf>) => Parameters<typeof factOf>[0][];
type Requested = Parameters<ReturnType<typeof eventsOf>['requested']>[1];

export const idsOf = (...seconds: number[]) => seconds.map(messageId);

export const blank = (messageId: string, accountId: string): MessageRecord => ({
  accountId,
  messageId,
  facts: [],
  revision: 0,
});

/** Short helpers to write messages to the store and to find them. */
export function messagesIn(store: () => MessagesStore) {
  const load = async (id: string, accountId = 'a') => (await store().load([{ accountId, messageId: id }]))[0];

  /** Adds events to what is stored. */
  async function tell(id: string, make: Make, accountId = 'a') {
    const record = (await load(id, accountId)) ?? blank(id, accountId);
    const facts = make(eventsOf(id, accountId)).map((event) => factOf(event)!);
    return store().save([changeOf(record, facts)!]);
  }

  const accept = (second: number, more: Requested = {}, at = second) =>
    tell(messageId(second), (m) => [m.requested(at, more)]);

  /** A message whose facts take that many bytes, and a few more. */
  function acceptLarge(second: number, bytes: number, at = second) {
    const record = blank(messageId(second), 'a');
    const accepted = factOf(eventsOf(record.messageId).requested(at))!;
    return store().save([changeOf(record, [{ ...accepted, id: 'x'.repeat(bytes) }])!]);
  }

  async function found(filter: MessageFilter, limit = 10, before?: string, accountId = 'a') {
    return (await store().search(accountId, filter, { limit, before })).records.map(({ messageId }) => messageId);
  }

  return { load, tell, accept, acceptLarge, found };
}
