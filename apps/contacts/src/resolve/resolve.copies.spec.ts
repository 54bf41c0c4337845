import fc from 'fast-check';
import type { AnyEvent, ContactKey, ContactUpserted } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { messageId, requested } from '../testing/requested';
import { outline, publishedAt, releaseAddress, resolvedAt, suppressAddress, type Placed } from '../testing/resolving';
import { ContactsService } from '../testing/service';
import { keyRef } from './contact';

const SUPPRESSED = 'MessageSuppressed suppressed';
const away = new StoreUnavailable('away');
const unsubscribedIn = (events: AnyEvent[]) => events.map(({ data }) => (data as ContactUpserted).unsubscribed);

/** A gateway appends again what may not have been written: one message is in several records, often of the same batch. */
describe('copies of the record of a message', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  const copiesOf = (data: Placed[0], ...positions: number[]) => positions.map((position): Placed => [data, position]);
  const toBad = requested(1, { email: 'bad@x.org' });
  const loadNotes = () => service.refusals.load([{ accountId: 'a', messageId: messageId(1) }]);

  it.each(['mailbox_unknown', 'complained', 'manual'])('all end if the address is suppressed: %s', async (reason) => {
    await suppressAddress(service, 'bad@x.org', reason);
    const record = jest.spyOn(service.refusals, 'record');
    const events = await resolvedAt(service, copiesOf(toBad, 1, 2, 3));
    expect(outline(events)).toEqual([SUPPRESSED, SUPPRESSED, SUPPRESSED]);
    expect(events[1]!.data).toEqual(events[0]!.data);
    expect(record.mock.calls.map(([notes]) => notes.length)).toEqual([1]);
    await releaseAddress(service, 'bad@x.org');
    expect(outline(await resolvedAt(service, copiesOf(toBad, 1, 2, 3, 4)))).toEqual(Array(4).fill(SUPPRESSED));
  });

  it('all end, in whichever partitions and batches they are', async () => {
    await suppressAddress(service, 'bad@x.org');
    const records: Placed[] = [
      [toBad, 1, 0],
      [toBad, 1, 1],
      [requested(2, { email: 'ada@x.org' }), 2],
      [toBad, 3],
    ];
    expect(outline(await resolvedAt(service, records))).toEqual([
      SUPPRESSED,
      SUPPRESSED,
      'ContactUpserted',
      SUPPRESSED,
    ]);
    expect(outline(await resolvedAt(service, copiesOf(toBad, 4)))).toEqual([SUPPRESSED]);
  });

  it('all say that the recipient unsubscribed', async () => {
    await suppressAddress(service, 'bad@x.org', 'unsubscribed');
    const events = await resolvedAt(service, copiesOf(toBad, 1, 2));
    expect(outline(events)).toEqual(['ContactUpserted', 'ContactUpserted']);
    const [first, second] = unsubscribedIn(events);
    expect(first).toMatchObject({ code: 'suppressed' });
    expect(second).toEqual(first);
    await releaseAddress(service, 'bad@x.org');
    expect(unsubscribedIn(await resolvedAt(service, copiesOf(toBad, 3, 4)))).toEqual([first, first]);
  });

  it('all end if the contact had no address, even if another message brings one between them', async () => {
    const without = requested(1, { customer: '7' }, { profile_data: { n: 1 } });
    const bringing = requested(2, { customer: '7' }, { email_address: { email: 'seven@x.org' } });
    const events = await resolvedAt(service, [
      [without, 1],
      [bringing, 2],
      [without, 3],
    ]);
    expect(outline(events)).toEqual(['MessageFailed no_address', 'ContactUpserted', 'MessageFailed no_address']);
    expect(await service.contacts.load([keyRef('a', 'customer', '7')])).toMatchObject([
      { email: 'seven@x.org', profile: '{"n":1}', version: 2 },
    ]);
  });

  it('all end if the profile was too large, and change nothing, even if it has room again', async () => {
    const large = (size: number) => ({ old: 'x'.repeat(size) });
    const filled = requested(1, { email: 'ada@x.org' }, { profile_data: large(262_000) });
    const tooMuch = requested(2, { email: 'ada@x.org' }, { profile_data: { n: 'x'.repeat(1000) } });
    const emptied = requested(3, { email: 'ada@x.org' }, { profile_data: large(1) });
    const events = await resolvedAt(service, [
      [filled, 1],
      [tooMuch, 2],
      [emptied, 3],
      [tooMuch, 4],
    ]);
    const failed = 'MessageFailed profile_too_large';
    expect(outline(events)).toEqual(['ContactUpserted', failed, 'ContactUpserted', failed]);
    expect(await service.contacts.load([keyRef('a', 'email', 'ada@x.org')])).toMatchObject([
      { profile: '{"old":"x"}' },
    ]);
  });

  it('end as the first one did, even if they are of another request, as across batches', async () => {
    await suppressAddress(service, 'bad@x.org');
    const otherRequest = { request_id: '0190b0e0-0000-7000-8000-000000000002', email_address: { email: 'ada@x.org' } };
    const other = requested(1, { email: 'bad@x.org' }, otherRequest);
    expect(outline(await resolvedAt(service, [...copiesOf(toBad, 1), ...copiesOf(other, 2)]))).toEqual([
      SUPPRESSED,
      SUPPRESSED,
    ]);
  });

  it('end as the first one did, whatever a later one of another request ends with', async () => {
    await suppressAddress(service, 'bad@x.org');
    const first = requested(1, { customer: '7' }, { email_address: { email: 'bad@x.org' } });
    const other = requested(1, { customer: '8' }, { request_id: '0190b0e0-0000-7000-8000-000000000002' });
    const events = await resolvedAt(service, [...copiesOf(first, 1), ...copiesOf(other, 2), ...copiesOf(first, 3)]);
    expect(outline(events)).toEqual([SUPPRESSED, SUPPRESSED, SUPPRESSED]);
    expect(await loadNotes()).toMatchObject([{ reason: { code: 'suppressed' }, address: 'bad@x.org' }]);
  });

  it('are sent as the first one was, even if its address is suppressed by then', async () => {
    expect(outline(await resolvedAt(service, copiesOf(toBad, 1)))).toEqual(['ContactUpserted']);
    await suppressAddress(service, 'bad@x.org');
    const late = [...copiesOf(toBad, 2, 3), ...copiesOf(requested(2, { email: 'bad@x.org' }), 4)];
    expect(outline(await resolvedAt(service, late))).toEqual(['ContactUpserted', 'ContactUpserted', SUPPRESSED]);
    expect(await loadNotes()).toEqual([]);
  });

  it('are told of the contact as it is stored when the message ends', async () => {
    await suppressAddress(service, 'bad@x.org');
    const telling = (number: number, n: number) => requested(number, { email: 'bad@x.org' }, { profile_data: { n } });
    const records: Placed[] = [
      [telling(1, 1), 1],
      [telling(2, 2), 2],
      [telling(1, 1), 3],
    ];
    const events = await publishedAt(service, records);
    const changed = ['ContactChanged', SUPPRESSED];
    expect(outline(events)).toEqual([...changed, ...changed, ...changed]);
    expect(events[4]).toMatchObject({ data: { contact: { profile: { n: 2 }, version: 2 } } });
  });

  describe('when a reading of the batch breaks off', () => {
    const records = copiesOf(toBad, 1, 2);
    beforeEach(() => suppressAddress(service, 'bad@x.org'));

    it.each([
      ['before anything is stored', () => jest.spyOn(service.refusals, 'record').mockRejectedValueOnce(away)],
      ['after the notes, before the contacts', () => jest.spyOn(service.contacts, 'save').mockRejectedValueOnce(away)],
    ])('%s, all end the next time', async (_, breakOff) => {
      breakOff();
      await expect(resolvedAt(service, records)).rejects.toThrow('away');
      expect(outline(await resolvedAt(service, records))).toEqual([SUPPRESSED, SUPPRESSED]);
    });

    it('after the notes, all end, even if the address was released since', async () => {
      jest.spyOn(service.contacts, 'save').mockRejectedValueOnce(away);
      await expect(resolvedAt(service, records)).rejects.toThrow('away');
      await releaseAddress(service, 'bad@x.org');
      expect(outline(await resolvedAt(service, [...records, ...copiesOf(toBad, 3)]))).toEqual(
        Array(3).fill(SUPPRESSED),
      );
    });

    it('notes are stored before contacts: a contact never knows a message whose end is not known', async () => {
      const order: string[] = [];
      const { contacts, refusals } = service;
      const [record, save] = [refusals.record.bind(refusals), contacts.save.bind(contacts)];
      jest.spyOn(refusals, 'record').mockImplementation(async (...all) => {
        await record(...all);
        order.push('notes');
      });
      jest.spyOn(contacts, 'save').mockImplementation(async (...all) => {
        order.push('contacts');
        return save(...all);
      });
      await resolvedAt(service, records);
      expect(order).toEqual(['notes', 'contacts']);
    });
  });

  it('end the same in one batch as in many', async () => {
    const saidOf = (events: AnyEvent[]) => outline(events).map((said, at) => [said, unsubscribedIn(events)[at]?.code]);
    const accounts = ['a', 'b'];
    for (const account of accounts) {
      await suppressAddress(service, 'bad@x.org', 'complained', account);
      await suppressAddress(service, 'left@x.org', 'unsubscribed', account);
    }
    let run = 0;
    const messagesOf = (account_id: string) => {
      const message = (number: number, key: ContactKey, email?: string) =>
        requested(run * 10 + number, key, { account_id, ...(email && { email_address: { email } }) });
      const customer = { customer: String(run) };
      return [
        message(0, { email: 'bad@x.org' }),
        message(1, { email: 'left@x.org' }),
        message(2, customer),
        message(3, customer, 'bad@x.org'),
        message(4, customer, `ada${run}@x.org`),
      ];
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 9 }), async (order) => {
        run += 1;
        const placed = (account: string) =>
          order.map((which, at): Placed => [messagesOf(account)[which]!, run * 10 + at, accounts.indexOf(account)]);
        const together = saidOf(await resolvedAt(service, placed('a')));
        const single: typeof together = [];
        for (const record of placed('b')) single.push(...saidOf(await resolvedAt(service, [record])));
        expect(together).toEqual(single);
      }),
      { numRuns: 30 },
    );
  });

  it('all end if the contact is changed by another process meanwhile', async () => {
    await suppressAddress(service, 'bad@x.org');
    await resolvedAt(service, copiesOf(requested(9, { email: 'bad@x.org' }), 0));
    const save = service.contacts.save.bind(service.contacts);
    jest.spyOn(service.contacts, 'save').mockImplementationOnce(async (changed) => {
      const [seen] = await service.contacts.load([keyRef('a', 'email', 'bad@x.org')]);
      await save([{ ...seen!, profile: '{"other":true}' }]);
      await releaseAddress(service, 'bad@x.org');
      return save(changed);
    });
    expect(outline(await resolvedAt(service, copiesOf(toBad, 1, 2)))).toEqual([SUPPRESSED, SUPPRESSED]);
  });

  it('all end if another process reads one of them at the same time', async () => {
    await suppressAddress(service, 'bad@x.org');
    const record = service.refusals.record.bind(service.refusals);
    jest.spyOn(service.refusals, 'record').mockImplementationOnce(async (...all) => {
      expect(outline(await resolvedAt(service, [[toBad, 1, 1]]))).toEqual([SUPPRESSED]);
      await releaseAddress(service, 'bad@x.org');
      return record(...all);
    });
    expect(outline(await resolvedAt(service, copiesOf(toBad, 1, 2)))).toEqual([SUPPRESSED, SUPPRESSED]);
  });
});
