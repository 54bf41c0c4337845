import { CAMPAIGN, messageId, REQUEST_ID, START } from '../testing/events';
import { eachAlone } from '../testing/searches';
import { idsOf, messagesIn } from '../testing/stored.messages';
import { contactTerms } from './message.record';
import { MAX_PAGE_BYTES } from './messages.page';
import type { MessageFilter, MessagesStore } from './messages.store';

const HOUR = 3600;
const DAY = 24 * HOUR;
const ms = (second: number) => START + second * 1000;

/** The searches that every adapter of the messages store must pass; `store` is a fresh, migrated one. */
export function messagesSearchContract(store: () => MessagesStore): void {
  const { tell, accept, acceptLarge, found } = messagesIn(store);

  it('returns newest first, page by page', async () => {
    for (const second of [3, 1, 4, 2]) await accept(second);
    expect(await found({}, 3)).toEqual(idsOf(4, 3, 2));
    expect(await found({}, 3, messageId(2))).toEqual(idsOf(1));
    expect(await found({}, 3, messageId(1))).toEqual([]);
    expect(await found({ states: ['accepted'] }, 2, messageId(4))).toEqual(idsOf(3, 2));
  });

  it('ends a page early when its messages are large, and goes on behind it', async () => {
    for (const second of [1, 2, 3]) await acceptLarge(second, MAX_PAGE_BYTES / 2);
    await acceptLarge(4, MAX_PAGE_BYTES, 9 * DAY);
    await accept(5);
    for (const filter of [{}, { from: ms(0) }]) {
      const page = (limit: number, before?: string) => store().search('a', filter, { limit, before });
      const shown = async (limit: number, before?: number) => {
        const { records, hasMore } = await page(limit, before === undefined ? undefined : messageId(before));
        return [records.map((record) => record.messageId), hasMore];
      };
      expect(await shown(9)).toEqual([idsOf(5, 4), true]);
      expect(await shown(9, 4)).toEqual([idsOf(3, 2), true]);
      expect(await shown(9, 2)).toEqual([idsOf(1), false]);
      expect(await shown(1)).toEqual([idsOf(5), true]);
      expect(await shown(1, 2)).toEqual([idsOf(1), false]);
    }
  });

  it('leaves out messages that are not known to be accepted yet', async () => {
    await tell(messageId(1), (m) => [m.resolved(1), m.queued(2)]);
    expect(await found({})).toEqual([]);
    expect(await found({ contact: contactTerms('ada@x.org') })).toEqual([]);
    expect(await found({ states: ['queued'] })).toEqual([]);
    await tell(messageId(1), (m) => [m.requested(1)]);
    expect(await found({ states: ['queued'], contact: contactTerms('ada@x.org') })).toEqual(idsOf(1));
  });

  it('finds by external id, request and campaign', async () => {
    const other = { id: 'campaign0000000002', slug: 'goodbye', version: 1 };
    await accept(1, { external_message_id: 'order-1' });
    await accept(2, { external_message_id: 'order-2', request_id: 'another' });
    await accept(3, { campaign: other });
    await accept(4, { campaign: { ...other, id: 'campaign0000000003', slug: other.id } });
    expect(await found({ externalMessageId: 'order-2' })).toEqual(idsOf(2));
    expect(await found({ externalMessageId: 'order' })).toEqual([]);
    expect(await found({ requestId: REQUEST_ID })).toEqual(idsOf(4, 3, 1));
    expect(await found({ campaign: CAMPAIGN.slug })).toEqual(idsOf(2, 1));
    expect(await found({ campaign: CAMPAIGN.id }, 1, messageId(2))).toEqual(idsOf(1));
    expect(await found({ campaign: other.id })).toEqual(idsOf(4, 3));
    expect(await found({ externalMessageId: 'order-1', requestId: 'another' })).toEqual([]);
  });

  it('finds by the current state', async () => {
    await accept(1);
    await accept(2);
    await tell(messageId(1), (m) => [m.failed(3)]);
    expect(await found({ states: ['failed'] })).toEqual(idsOf(1));
    expect(await found({ states: ['accepted'] })).toEqual(idsOf(2));
  });

  it('finds by any of several states, newest first, page by page, combined with other filters', async () => {
    for (const second of [1, 2, 3, 4, 5]) await accept(second);
    await accept(6, {}, 9 * DAY);
    for (const second of [1, 4]) await tell(messageId(second), (m) => [m.deferred(7, 1)]);
    for (const second of [2, 6]) await tell(messageId(second), (m) => [m.failed(7)]);
    await tell(messageId(5), (m) => [m.sent(7, 1)]);
    const states: MessageFilter['states'] = ['failed', 'deferred'];
    expect(await found({ states })).toEqual(idsOf(6, 4, 2, 1));
    expect(await found({ states }, 2)).toEqual(idsOf(6, 4));
    expect(await found({ states }, 2, messageId(4))).toEqual(idsOf(2, 1));
    expect(await found({ states, from: ms(2) })).toEqual(idsOf(6, 4, 2));
    expect(await found({ states, reason: 'greylisted', campaign: CAMPAIGN.id })).toEqual(idsOf(4, 1));
    expect(await found({ states: ['sent', 'accepted'], campaign: CAMPAIGN.slug })).toEqual(idsOf(5, 3));
    expect(await found({ states: ['bounced', 'failed'], contact: contactTerms('ada@x.org') }, 1)).toEqual(idsOf(6));
  });

  it('misses no message that changes from one of the states to another meanwhile', async () => {
    await accept(1);
    let changing = true;
    const changes = async () => {
      for (let number = 1; number <= 30; number += 1) {
        await tell(messageId(1), (m) => [m.sending(10 * number, number)]);
        await tell(messageId(1), (m) => [m.deferred(10 * number + 1, number)]);
      }
      changing = false;
    };
    const search = async () => {
      while (changing) expect(await found({ states: ['accepted', 'sending', 'deferred'] })).toEqual(idsOf(1));
    };
    await Promise.all([changes(), search(), search(), search()]);
  });

  it('finds by the current reason, whatever the state', async () => {
    for (const second of [1, 2, 3, 4]) await accept(second);
    await tell(messageId(1), (m) => [m.failed(5, 'render_error')]);
    await tell(messageId(2), (m) => [m.deferred(5, 1)]);
    await tell(messageId(3), (m) => [m.deferred(5, 1)]);
    expect(await found({ reason: 'render_error' })).toEqual(idsOf(1));
    expect(await found({ reason: 'greylisted' })).toEqual(idsOf(3, 2));
    await tell(messageId(2), (m) => [m.sent(70, 2)]);
    await tell(messageId(3), (m) => [m.usedUp(70, 2)]);
    expect(await found({ reason: 'greylisted' })).toEqual([]);
    expect(await found({ reason: 'attempts_used_up' })).toEqual(idsOf(3));
    await tell(messageId(3), (m) => [m.retried(80, 3)]);
    expect(await found({ reason: 'attempts_used_up' })).toEqual([]);
    await tell(messageId(2), (m) => [m.returned(90)]);
    expect(await found({ reason: 'mailbox_unknown', states: ['bounced'] })).toEqual(idsOf(2));
    await tell(messageId(4), (m) => [m.bounced(90, 1)]);
    expect(await found({ reason: 'mailbox_unknown', campaign: CAMPAIGN.slug }, 1, messageId(4))).toEqual(idsOf(2));
    expect(await found({ reason: 'mailbox_unknown', contact: contactTerms('ada@x.org'), to: ms(3) })).toEqual(idsOf(2));
  });

  it('finds by reason a message whose failure was read before its acceptance', async () => {
    await tell(messageId(1), (m) => [m.failed(2)]);
    expect(await found({ reason: 'render_error' })).toEqual([]);
    await tell(messageId(1), (m) => [m.requested(1)]);
    expect(await found({ reason: 'render_error', from: ms(0) })).toEqual(idsOf(1));
  });

  it('finds by contact: key, resolved address and contact id; emails in any case, each message once', async () => {
    await accept(1, { contact_key: { email: 'Ada@x.org' }, external_message_id: 'order-1' });
    await accept(2, { contact_key: { customer: 'Abc' } });
    await tell(messageId(2), (m) => [m.resolved(3, 'ADA@x.org')]);
    await accept(3, { contact_key: { customer: 'ada@X.org' } });
    await tell(messageId(3), (m) => [m.resolved(4, 'ada@x.org')]);
    const by = (contact: string, limit = 10) => found({ contact: contactTerms(contact) }, limit);
    expect(await by('aDA@x.org')).toEqual(idsOf(3, 2, 1));
    expect(await by('ada@X.org', 2)).toEqual(idsOf(3, 2));
    expect(await found({ contact: contactTerms('aDA@x.org'), externalMessageId: 'order-1' })).toEqual(idsOf(1));
    expect(await by('Abc')).toEqual(idsOf(2));
    expect(await by('abc')).toEqual([]);
    expect(await by('contact00000000001')).toEqual(idsOf(3, 2));
    expect(await found({ contact: contactTerms('ada@x.org'), states: ['accepted'], to: ms(2) })).toEqual(idsOf(2, 1));
  });

  it('finds a number and an address whose plus sign was not escaped and arrived as a space', async () => {
    await accept(1, { contact_key: { sms: '+491711234567' } });
    await accept(2, { contact_key: { email: 'ada+news@x.org' } });
    await accept(3, { contact_key: { crm_id: 'ada news@x.org' } });
    await accept(4, { contact_key: { crm_id: 'a+b' } });
    expect(await found({ contact: contactTerms(' 491711234567') })).toEqual(idsOf(1));
    expect(await found({ contact: contactTerms('Ada news@X.org') })).toEqual(idsOf(2));
    expect(await found({ contact: contactTerms('ada news@x.org') })).toEqual(idsOf(3, 2));
    expect(await found({ contact: contactTerms('a b') })).toEqual([]);
    expect(contactTerms('"ada news"@x.org')).toEqual(['="ada news"@x.org', '@"ada news"@x.org']);
  });

  it('finds by every key of the contact, whatever key the call named', async () => {
    const known = { email: 'Own@x.org', sms: '+491711234567', keys: { crm_id: 'C-77', constructor: 'K' } };
    await accept(1, { contact_key: { email: 'ada@x.org' } });
    await accept(2, { contact_key: { crm_id: 'C-77' } });
    await tell(messageId(1), (m) => [m.resolved(3, 'ada@x.org', known)]);
    for (const contact of ['own@X.org', '+491711234567', 'K', 'ada@x.org']) {
      expect([contact, await found({ contact: contactTerms(contact) })]).toEqual([contact, idsOf(1)]);
    }
    expect(await found({ contact: contactTerms('C-77') })).toEqual(idsOf(2, 1));
    expect(await found({ contact: contactTerms('c-77') })).toEqual([]);
  });

  it('finds a suppressed message by its address', async () => {
    await accept(1, { contact_key: { crm_id: 'C-77' } });
    await tell(messageId(1), (m) => [m.suppressed(2)]);
    expect(await found({ contact: contactTerms('Ada@x.org'), states: ['suppressed'] })).toEqual(idsOf(1));
  });

  it('finds a message that ended before it was rendered by its contact: the id and every key', async () => {
    const contact = { id: 'contact00000000001', email: 'Own@x.org', sms: '+491711234567', keys: { crm_id: 'C-77' } };
    await accept(1, { contact_key: { email: 'ada@x.org' } });
    await accept(2, { contact_key: { customer: '7' } });
    await tell(messageId(1), (m) => [m.suppressed(3, { contact })]);
    await tell(messageId(2), (m) => [m.failed(3, 'no_address', { contact })]);
    for (const searched of ['contact00000000001', 'own@X.org', '+491711234567', 'C-77']) {
      expect([searched, await found({ contact: contactTerms(searched) })]).toEqual([searched, idsOf(2, 1)]);
    }
  });

  it('finds by the time of acceptance, both ends included', async () => {
    for (const second of [1, HOUR, 3 * DAY]) await accept(second);
    expect(await found({ from: ms(HOUR), to: ms(HOUR) })).toEqual(idsOf(HOUR));
    expect(await found({ from: ms(2) })).toEqual(idsOf(3 * DAY, HOUR));
    expect(await found({ to: ms(HOUR) })).toEqual(idsOf(HOUR, 1));
    expect(await found({ from: ms(HOUR) + 1, to: ms(2 * DAY) })).toEqual([]);
    expect(await found({ from: ms(2), campaign: CAMPAIGN.slug }, 1)).toEqual(idsOf(3 * DAY));
    expect(await found({ from: -1e15, to: 1e15 })).toEqual(idsOf(3 * DAY, HOUR, 1));
  });

  it('finds by the time of acceptance if the id is older or younger by up to a minute', async () => {
    for (const [id, at] of [
      [40, 100],
      [159, 100],
    ] as const) {
      await accept(id, {}, at);
    }
    for (const filter of [{ from: ms(100) }, { to: ms(100) }, { from: ms(100), to: ms(100) }]) {
      expect(await found(filter)).toEqual(idsOf(159, 40));
      expect(await found(filter, 1)).toEqual(idsOf(159));
      expect(await found({ ...filter, states: ['accepted'] }, 1, messageId(159))).toEqual(idsOf(40));
    }
    expect(await found({ from: ms(100) + 1 })).toEqual([]);
    expect(await found({ to: ms(100) - 1 })).toEqual([]);
  });

  it('combines every filter with every other one', async () => {
    const other = { id: 'campaign0000000002', slug: 'goodbye', version: 1 };
    await accept(1, { contact_key: { crm_id: 'C-1' }, external_message_id: 'order-1' });
    await accept(2, {
      contact_key: { crm_id: 'C-2' },
      external_message_id: 'order-2',
      request_id: 'another',
      campaign: other,
    });
    await tell(messageId(1), (m) => [m.failed(3)]);
    await tell(messageId(2), (m) => [m.suppressed(3)]);
    const first = eachAlone({
      externalMessageId: 'order-1',
      requestId: REQUEST_ID,
      contact: contactTerms('C-1'),
      campaign: CAMPAIGN.id,
      states: ['failed'],
      reason: 'render_error',
      from: ms(1),
      to: ms(1),
    });
    const second = eachAlone({
      externalMessageId: 'order-2',
      requestId: 'another',
      contact: contactTerms('C-2'),
      campaign: other.id,
      states: ['suppressed'],
      reason: 'suppressed',
      from: ms(2),
      to: ms(2),
    });
    for (const [at, one] of first.entries()) {
      for (const beside of first.keys()) {
        const [like, unlike] = [
          { ...first[beside], ...one },
          { ...second[beside], ...one },
        ];
        expect([like, await found(like)]).toEqual([like, idsOf(1)]);
        if (at !== beside) expect([unlike, await found(unlike)]).toEqual([unlike, []]);
      }
    }
  });

  it('finds by the time of acceptance even if the id is days older', async () => {
    await accept(1, { external_message_id: 'late' }, 9 * DAY);
    await accept(9 * DAY);
    await accept(2);
    const late = { from: ms(9 * DAY) };
    expect(await found(late)).toEqual(idsOf(9 * DAY, 1));
    expect(await found(late, 1)).toEqual(idsOf(9 * DAY));
    expect(await found(late, 1, messageId(9 * DAY))).toEqual(idsOf(1));
    expect(await found({ ...late, externalMessageId: 'late', states: ['accepted'] })).toEqual(idsOf(1));
    expect(await found({ to: ms(DAY) })).toEqual(idsOf(2));
  });

  it('finds by the time of acceptance even if the id is days younger', async () => {
    await accept(9 * DAY, { external_message_id: 'early' }, 1);
    await accept(2);
    await accept(9 * DAY + 1);
    expect(await found({ to: ms(DAY) })).toEqual(idsOf(9 * DAY, 2));
    expect(await found({ from: ms(DAY) })).toEqual(idsOf(9 * DAY + 1));
  });

  it('keeps the order of ids for messages whose ids are of another time than their acceptance', async () => {
    await accept(9 * DAY);
    await accept(9 * DAY + 2 * HOUR, { external_message_id: 'late' }, 9 * DAY + 5 * HOUR);
    await accept(9 * DAY + 1);
    const late = { from: ms(9 * DAY) };
    expect(await found(late)).toEqual(idsOf(9 * DAY + 2 * HOUR, 9 * DAY + 1, 9 * DAY));
    expect(await found(late, 2)).toEqual(idsOf(9 * DAY + 2 * HOUR, 9 * DAY + 1));
    expect(await found(late, 2, messageId(9 * DAY + 2 * HOUR))).toEqual(idsOf(9 * DAY + 1, 9 * DAY));
    expect(await found(late, 2, messageId(9 * DAY + 1))).toEqual(idsOf(9 * DAY));
    expect(await found({ ...late, contact: contactTerms('nobody') })).toEqual([]);
    expect(await found({ ...late, to: ms(9 * DAY + HOUR) })).toEqual(idsOf(9 * DAY + 1, 9 * DAY));
  });
}
