import type { AnyEvent, ContactUpserted, Json } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { requested } from '../testing/requested';
import { outline, releaseAddress, resolvedAt, suppressAddress, type Placed } from '../testing/resolving';
import { ContactsService } from '../testing/service';
import { keyRef } from './contact';

describe('ResolveConsumer, given the same records or data again', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  it('changes no contact when records are read again, and each message keeps its own data', async () => {
    const records: Placed[] = [
      [requested(1, { email: 'ada@x.org' }, { profile_data: { n: 1 } }), 4],
      [requested(2, { email: 'ada@x.org' }, { profile_data: { n: 2 } }), 5],
    ];
    const before = await resolvedAt(service, records);
    const [stored] = await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]);
    const again = await resolvedAt(service, records);
    expect(again).toMatchObject(
      before.map(({ id }, at) => ({ id, data: { contact: { profile: { n: at + 1 }, version: 2 } } })),
    );
    expect(await service.contacts.load([keyRef('a', 'email', 'ada@x.org')])).toEqual([stored]);
  });

  it('does not merge a copy of a record over newer data, however late it comes', async () => {
    const telling = (n: number) => requested(n, { email: 'ada@x.org' }, { profile_data: { n } });
    await resolvedAt(
      service,
      [1, 2, 3].map((n): Placed => [telling(n), n]),
    );
    const copied = await resolvedAt(service, [[telling(2), 4]]);
    expect(copied).toMatchObject([{ type: 'ContactUpserted', data: { contact: { profile: { n: 2 }, version: 3 } } }]);
    const [stored] = await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]);
    expect(stored).toMatchObject({ profile: '{"n":3}', version: 3 });
  });

  it('merges the data of a request that took the place of one that was never answered', async () => {
    const telling = (n: number, request_id: string) =>
      requested(1, { email: 'ada@x.org' }, { profile_data: { n }, request_id });
    await resolvedAt(service, [[telling(1, '0190b0e0-0000-7000-8000-000000000001'), 1]]);
    await resolvedAt(service, [[telling(2, '0190b0e0-0000-7000-8000-000000000002'), 2]]);
    expect(await service.contacts.load([keyRef('a', 'email', 'ada@x.org')])).toMatchObject([{ profile: '{"n":2}' }]);
  });

  it('remembers ten messages of a contact', async () => {
    const telling = (n: number) => requested(n, { email: 'ada@x.org' }, { profile_data: { n } });
    await resolvedAt(
      service,
      Array.from({ length: 11 }, (_, i): Placed => [telling(i + 1), i + 1]),
    );
    const loadContact = async () => (await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]))[0]!;
    expect((await loadContact()).merged).toHaveLength(10);
    await resolvedAt(service, [[telling(2), 12]]);
    expect((await loadContact()).profile).toBe('{"n":11}');
    await resolvedAt(service, [[telling(1), 13]]);
    expect((await loadContact()).profile).toBe('{"n":1}');
  });

  it('ends a message the same way when its record is read again, whatever has changed since', async () => {
    await suppressAddress(service, 'bad@x.org');
    const records: Placed[] = [
      [requested(1, { customer: '7' }), 1],
      [requested(2, { email: 'bad@x.org' }), 2],
      [requested(3, { email: 'good@x.org' }), 3],
      [requested(4, { customer: '7' }, { email_address: { email: 'seven@x.org' } }), 4],
    ];
    const before = outline(await resolvedAt(service, records));
    expect(before).toEqual([
      'MessageFailed no_address',
      'MessageSuppressed suppressed',
      'ContactUpserted',
      'ContactUpserted',
    ]);
    await releaseAddress(service, 'bad@x.org');
    await suppressAddress(service, 'good@x.org');
    expect(outline(await resolvedAt(service, records))).toEqual(before);
  });

  it('ends a message the same way in two processes that read its record at the same time', async () => {
    await suppressAddress(service, 'bad@x.org');
    const records: Placed[] = [[requested(1, { email: 'bad@x.org' }), 1]];
    const { loadWithin } = service.contacts;
    jest.spyOn(service.contacts, 'loadWithin').mockImplementationOnce(async (...asked) => {
      expect(outline(await resolvedAt(service, records))).toEqual(['MessageSuppressed suppressed']);
      return loadWithin.apply(service.contacts, asked);
    });
    expect(outline(await resolvedAt(service, records))).toEqual(['MessageSuppressed suppressed']);
  });

  it('still sends nothing to a suppressed address if the first reading broke off in the middle', async () => {
    await suppressAddress(service, 'bad@x.org');
    const record = jest.spyOn(service.refusals, 'record');
    record.mockRejectedValueOnce(new StoreUnavailable('away'));
    const records: Placed[] = [[requested(1, { email: 'bad@x.org' }), 1]];
    await expect(resolvedAt(service, records)).rejects.toThrow('away');
    expect(outline(await resolvedAt(service, records))).toEqual(['MessageSuppressed suppressed']);
  });

  it('says the same of an unsubscription when a record is read again, whatever has changed since', async () => {
    await suppressAddress(service, 'left@x.org', 'unsubscribed');
    const records: Placed[] = [
      [requested(1, { email: 'left@x.org' }), 1],
      [requested(2, { email: 'stays@x.org' }), 2],
    ];
    const saidOf = (events: AnyEvent[]) => events.map(({ data }) => (data as ContactUpserted).unsubscribed?.code);
    const before = await resolvedAt(service, records);
    expect(saidOf(before)).toEqual(['suppressed', undefined]);
    await releaseAddress(service, 'left@x.org');
    await suppressAddress(service, 'stays@x.org', 'unsubscribed');
    const again = await resolvedAt(service, records);
    expect(outline(again)).toEqual(['ContactUpserted', 'ContactUpserted']);
    expect(again.map(({ data }) => (data as ContactUpserted).unsubscribed)).toEqual(
      before.map(({ data }) => (data as ContactUpserted).unsubscribed),
    );
    expect(saidOf(await resolvedAt(service, [[requested(3, { email: 'left@x.org' }), 3]]))).toEqual([undefined]);
    expect(saidOf(await resolvedAt(service, [[requested(4, { email: 'stays@x.org' }), 4]]))).toEqual(['suppressed']);
  });

  it('raises the version of a contact only if the data change it', async () => {
    const telling = (n: number, profile_data: Json) => requested(n, { email: 'ada@x.org' }, { profile_data });
    await resolvedAt(service, [
      [telling(1, { a: { b: 1 } }), 1],
      [telling(2, { a: { b: 1 } }), 2],
    ]);
    await resolvedAt(service, [[telling(3, { a: {} }), 3]]);
    const loadContact = async () => (await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]))[0]!;
    expect(await loadContact()).toMatchObject({ version: 1, applied: { 0: 3 } });
    await resolvedAt(service, [[telling(4, { a: { b: 2 } }), 4]]);
    expect((await loadContact()).version).toBe(2);
  });
});
