import fc from 'fast-check';
import type { AnyEvent, ContactUpserted, MessageRequested } from '@lettermill/events';
import { EventPublisher } from '@lettermill/log';
import { StoreUnavailable } from '@lettermill/storage';
import { messageId, requested } from '../testing/requested';
import { outline, publishedAt, releaseAddress, resolvedAt, suppressAddress, type Placed } from '../testing/resolving';
import { ContactsService } from '../testing/service';
import { keyRef } from './contact';

const away = new StoreUnavailable('away');
const customer = { customer: '7' };
const requestIds = ['1', '2'].map((end) => `0190b0e0-0000-7000-8000-00000000000${end}`);
const GOES_ON = ['ContactUpserted'];
const LARGE = 'x'.repeat(262_144);

/** A call with other content takes the place of one that was never answered, and both records are there: the message is the first's. */
describe('records of one message that two requests made', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  const ofRequest = (which: 0 | 1, email: string, more: Partial<MessageRequested> = {}) =>
    requested(1, customer, { request_id: requestIds[which]!, email_address: { email }, ...more });
  const first = (more: Partial<MessageRequested> = {}) => ofRequest(0, 'good@x.org', more);
  const second = (email: string, more: Partial<MessageRequested> = {}) => ofRequest(1, email, more);
  const loadContact = async () => (await service.contacts.load([keyRef('a', 'customer', '7')]))[0]!;
  const loadNotes = () => service.refusals.load([{ accountId: 'a', messageId: messageId(1) }]);
  const failing = async (records: Placed[], what: 'append' | 'save') => {
    if (what === 'save') jest.spyOn(service.contacts, 'save').mockRejectedValueOnce(away);
    else jest.spyOn(service.app.get(EventPublisher), 'append').mockRejectedValueOnce(away);
    await expect(publishedAt(service, records)).rejects.toThrow('away');
  };
  const fillers = (count: number, from: number) =>
    Array.from({ length: count }, (_, at): Placed => [requested(from + at, customer), from + at]);

  describe('of which the second is to a suppressed address', () => {
    const records: Placed[] = [
      [first(), 1],
      [second('bad@x.org'), 2],
    ];
    beforeEach(() => suppressAddress(service, 'bad@x.org'));

    it('go on as the first did, in one batch, and however often that is read', async () => {
      expect(outline(await publishedAt(service, records))).toEqual(GOES_ON);
      for (let time = 0; time < 2; time += 1) expect(outline(await resolvedAt(service, records))).toEqual(GOES_ON);
      expect(await loadNotes()).toEqual([]);
    });

    it.each(['append', 'save'] as const)('go on as the first did after a batch whose %s failed', async (what) => {
      await failing(records, what);
      expect(await resolvedAt(service, records)).toMatchObject([
        { type: 'ContactUpserted', data: { to: { email: 'good@x.org' } } },
      ]);
      expect(await loadNotes()).toEqual([]);
    });

    it('go on as the first did, in batches and partitions of their own', async () => {
      expect(outline(await publishedAt(service, [records[0]!]))).toEqual(GOES_ON);
      const other: Placed[] = [[second('bad@x.org'), 5, 1]];
      await failing(other, 'append');
      expect(await resolvedAt(service, [...other, [second('bad@x.org'), 6, 1]])).toEqual([]);
      expect(outline(await publishedAt(service, [records[0]!]))).toEqual(GOES_ON);
      expect(await loadNotes()).toEqual([]);
    });

    it('go on as the first did, with more messages of the contact between them than it knows', async () => {
      const all: Placed[] = [[first(), 1], ...fillers(11, 2), [second('bad@x.org'), 13]];
      const said = async () =>
        (await resolvedAt(service, all)).filter(({ data }) => (data as MessageRequested).message_id === messageId(1));
      await failing(all, 'append');
      for (let time = 0; time < 2; time += 1) {
        expect(await said()).toMatchObject([{ type: 'ContactUpserted', data: { to: { email: 'good@x.org' } } }]);
      }
    });
  });

  it('go on as the first did, if the second makes the contact forget a message', async () => {
    await suppressAddress(service, 'bad@x.org');
    await publishedAt(service, [[first(), 1], ...fillers(9, 2)]);
    const later: Placed[] = [[second('bad@x.org'), 11]];
    await failing(later, 'append');
    expect(await resolvedAt(service, later)).toEqual([]);
  });

  it('go on as the first did, if the address is suppressed between them', async () => {
    expect(outline(await publishedAt(service, [[first(), 1]]))).toEqual(GOES_ON);
    await suppressAddress(service, 'good@x.org', 'complained');
    expect(outline(await publishedAt(service, [[second('good@x.org'), 2]]))).toEqual([]);
    expect(outline(await publishedAt(service, [[first(), 1]]))).toEqual(GOES_ON);
    expect(await loadNotes()).toEqual([]);
  });

  it.each([
    ['a profile that is too large', { profile_data: { n: LARGE } }],
    ['shared content that is lost', { shared: { blob: 'gone', size: 1 } }],
    [
      'a profile that is too large, and lost content',
      { profile_data: { n: LARGE }, shared: { blob: 'gone', size: 1 } },
    ],
  ])('go on as the first did, if the second would fail for %s', async (_, more) => {
    await publishedAt(service, [[first({ profile_data: { n: 1 } }), 1]]);
    const later: Placed[] = [
      [second('good@x.org', more), 2],
      [requested(2, customer), 3],
    ];
    await failing(later, 'append');
    for (let time = 0; time < 2; time += 1) {
      expect(await resolvedAt(service, later)).toMatchObject([
        { type: 'ContactUpserted', data: { message_id: messageId(2) } },
      ]);
    }
    expect(await loadContact()).toMatchObject({ profile: '{"n":1}', version: 1 });
    expect(await loadNotes()).toEqual([]);
  });

  it('are one mail, of the first request; the contact has the data of both', async () => {
    const telling = (n: number) => ({ profile_data: { n } });
    const records: Placed[] = [
      [first(telling(1)), 1],
      [second('other@x.org', telling(2)), 2],
    ];
    const events = await publishedAt(service, records);
    expect(events).toMatchObject([
      { type: 'ContactUpserted', data: { to: { email: 'good@x.org' }, contact: { profile: { n: 1 } } } },
      { type: 'ContactChanged', data: { contact: { profile: { n: 2 }, version: 2 } } },
    ]);
    const again = await publishedAt(service, records);
    expect(again).toMatchObject([
      { type: 'ContactUpserted', data: { to: { email: 'good@x.org' }, contact: { profile: { n: 1 } } } },
      { type: 'ContactChanged', data: { contact: { profile: { n: 2 }, version: 2 } } },
      { type: 'ContactChanged', data: { contact: { profile: { n: 2 }, version: 2 } } },
    ]);
    expect(await loadContact()).toMatchObject({ profile: '{"n":2}', email: 'good@x.org' });
  });

  it('end as the first did, if that ended, also if the second would go on', async () => {
    await suppressAddress(service, 'good@x.org');
    const suppressed = 'MessageSuppressed suppressed';
    const records: Placed[] = [
      [first(), 1],
      [second('other@x.org'), 2],
    ];
    expect(outline(await resolvedAt(service, records))).toEqual([suppressed, suppressed]);
    await releaseAddress(service, 'good@x.org');
    expect(outline(await resolvedAt(service, records))).toEqual([suppressed, suppressed]);
  });

  it('say that the recipient had unsubscribed only where the first goes on', async () => {
    await suppressAddress(service, 'good@x.org', 'unsubscribed');
    const records: Placed[] = [
      [first(), 1],
      [second('bad@x.org'), 2],
    ];
    await suppressAddress(service, 'bad@x.org');
    await failing(records, 'append');
    const events = await resolvedAt(service, records);
    expect(outline(events)).toEqual(GOES_ON);
    expect((events[0]!.data as ContactUpserted).unsubscribed).toMatchObject({ code: 'suppressed' });
  });

  it('are the second alone, if the log that had the first is gone', async () => {
    await publishedAt(service, [[first(), 1]]);
    await service.contacts.forgetApplied();
    expect(outline(await publishedAt(service, [[second('other@x.org'), 0]]))).toEqual(GOES_ON);
  });

  it.each([
    ['the contact got another message since', () => publishedAt(service, [[requested(2, customer), 0]])],
    ['it is read again', () => failing([[second('other@x.org'), 1]], 'append')],
  ])('are the second alone, if the log that had the first is gone, also if %s', async (_, before) => {
    await publishedAt(service, [[first(), 1]]);
    await service.contacts.forgetApplied();
    await before();
    expect(outline(await publishedAt(service, [[second('other@x.org'), 1]]))).toContain('ContactUpserted');
  });

  it('say one thing, whatever is suppressed between them and whichever batches they are in', async () => {
    const record = fc.record({
      which: fc.constantFrom<0 | 1>(0, 1),
      email: fc.constantFrom('good', 'bad', 'left'),
      more: fc.constantFrom<Partial<MessageRequested>>({}, { profile_data: { n: LARGE } }, { profile_data: { n: 1 } }),
      copies: fc.constantFrom(1, 2),
    });
    const step = fc.record({
      records: fc.array(record, { minLength: 1, maxLength: 3 }),
      before: fc.constantFrom('suppress', 'release', undefined),
      fails: fc.constantFrom<'append' | 'save' | undefined>('append', 'save', undefined),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        run += 1;
        const said: AnyEvent[] = [];
        const sent: MessageRequested[] = [];
        const at = (name: string) => `${name}${run}@x.org`;
        await suppressAddress(service, at('bad'));
        await suppressAddress(service, at('left'), 'unsubscribed');
        let position = run * 100;
        for (const { records, before, fails } of steps) {
          service.now += 1;
          if (before === 'suppress') await suppressAddress(service, at('good'), 'complained');
          if (before === 'release') await releaseAddress(service, at('good'));
          const placed = records.flatMap(({ which, email, more, copies }) => {
            const earlier = sent.find(({ request_id }) => request_id === requestIds[which]);
            const about = { request_id: requestIds[which]!, email_address: { email: at(email) }, ...more };
            const data = earlier ?? requested(run, { customer: `run${run}` }, about);
            sent.push(data);
            return Array.from({ length: copies }, (): Placed => [data, (position += 1)]);
          });
          if (fails) await failing(placed, fails);
          said.push(...(await resolvedAt(service, placed)));
        }
        expect(new Set(outline(said)).size).toBe(1);
        const addresses = new Set(said.map(({ data }) => (data as Partial<ContactUpserted>).to?.email));
        expect(addresses.size).toBe(1);
        const [address] = addresses;
        if (address !== undefined) expect(address).toBe(sent[0]!.email_address!.email);
      }),
      { numRuns: 60 },
    );
  });
});
