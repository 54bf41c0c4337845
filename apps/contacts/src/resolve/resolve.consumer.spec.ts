import { createHash } from 'node:crypto';
import {
  type ContactKey,
  decodeEvent,
  encodeEvent,
  type AnyEvent,
  type ContactUpserted,
  type Event,
  type Json,
  type MessageRequested,
} from '@lettermill/events';
import { messageId, requested, requestedEvent } from '../testing/requested';
import { outline, resolvedAt, suppressAddress, type Placed } from '../testing/resolving';
import { ContactsService } from '../testing/service';
import { SUPPRESSIONS_STORE, type SuppressionsStore } from '../suppressions/suppressions.store';
import { keyRef } from './contact';
import { ResolveConsumer } from './resolve.consumer';

const firstPosition = { partition: 0, position: 0 };

describe('ResolveConsumer', () => {
  let service: ContactsService;
  beforeEach(async () => {
    service = await ContactsService.start();
  });
  afterEach(() => service.stop());

  async function handle(...messages: MessageRequested[]): Promise<AnyEvent[]> {
    return handleAt(messages.map((data, at) => [data, at]));
  }

  const handleAt = (records: Placed[]) => resolvedAt(service, records);
  const suppress = (address: string, reason?: string, accountId?: string) =>
    suppressAddress(service, address, reason, accountId);
  const profileOf = async (kind: string, value: string) =>
    (await service.contacts.load([keyRef('a', kind, value)]))[0]?.profile;

  it('publishes for each message that it is resolved, failed or suppressed', async () => {
    await suppress('bad@x.org');
    const events = await handle(
      requested(1, { email: 'ada@x.org' }, { name: 'Ada', profile_data: { plan: 'free' } }),
      requested(2, { customer: '7' }),
      requested(3, { id: 'nobody' }),
      requested(4, { email: 'BAD@x.org' }),
    );
    const [first, second, third, fourth] = events;
    expect(outline(events)).toEqual([
      'ContactUpserted',
      'MessageFailed no_address',
      'MessageFailed contact_not_found',
      'MessageSuppressed suppressed',
    ]);
    expect(first).toMatchObject({
      id: `event-${messageId(1)}/contact-upserted`,
      source: 'contacts',
      key: 'a:{"email":"ada@x.org"}',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      data: {
        to: { email: 'ada@x.org', name: 'Ada' },
        contact: { email: 'ada@x.org', version: 1, profile: { plan: 'free' } },
      },
    });
    expect([second!.key, third!.key]).toEqual([messageId(2), messageId(3)]);
    expect(fourth!.data).toMatchObject({ address: 'bad@x.org' });
    const { detail } = (fourth as Event<'MessageSuppressed'>).data.reason;
    expect(detail).toContain(messageId(99));
    expect(detail).toContain('2023-11-14T22:13:20.000Z');
    expect(detail).not.toContain('x.org');
  });

  it('names the contact of a message that ends here, by its id and all its keys', async () => {
    const email_address = { email: 'bad@x.org' };
    const [resolved] = await handleAt([[requested(1, { customer: '7' }, { email_address }), 1]]);
    const { id } = (resolved as Event<'ContactUpserted'>).data.contact;
    await suppress('bad@x.org');
    const records: Placed[] = [
      [requested(2, { email: 'Bad@x.org' }), 2],
      [requested(3, { customer: '8' }), 3],
      [requested(4, { id: 'nobody' }), 4],
    ];
    const named = [
      { contact: { id, email: 'bad@x.org', sms: null, keys: { customer: '7' } } },
      { contact: { email: null, sms: null, keys: { customer: '8' } } },
      {},
    ];
    const events = await handleAt(records);
    expect(events.map(({ data }) => data)).toMatchObject(named);
    expect(events[2]!.data).not.toHaveProperty('contact');
    expect((await handleAt(records)).map(({ data }) => data)).toEqual(events.map(({ data }) => data));
  });

  it('publishes only events that match their schemas', async () => {
    await suppress('bad@x.org');
    const shared = { profile_data: { a: 1 }, message: { subject: 'Hi' } };
    const keys: ContactKey[] = [{ email: 'ada@x.org' }, { customer: '7' }, { email: 'bad@x.org' }];
    const data = keys.map((key, at) => requested(at, key, { shared, message: { text: 'x' }, attachments: [] }));
    for (const event of await handle(...data)) {
      expect(decodeEvent({ ...encodeEvent(event), ...firstPosition }).type).toBe(event.type);
    }
  });

  describe('copies to suppressed addresses', () => {
    const list = (...emails: string[]) => emails.map((email) => ({ email }));
    const lostOf = ({ data }: AnyEvent) =>
      (data as Partial<ContactUpserted>).suppressed_copies?.map(({ address, code }) => `${address} ${code}`);

    it('are reported for each message, with one lookup for all of them', async () => {
      await suppress('bad@x.org');
      await suppress('left@x.org', 'unsubscribed');
      await suppress('ada@x.org', 'complained', 'b');
      const find = jest.spyOn(service.app.get<SuppressionsStore>(SUPPRESSIONS_STORE), 'find');
      const shared = { message: { cc: list('Bad@x.org', 'good@x.org') } };
      const campaign_copies = { cc: list('good@x.org'), bcc: list('left@x.org', 'ada@x.org') };
      const events = await handle(
        requested(1, { email: 'ada@x.org' }, { shared, campaign_copies }),
        requested(2, { email: 'eve@x.org' }, { shared, message: { cc: list('good@x.org') } }),
        requested(3, { email: 'eve@x.org' }, { shared }),
        requested(4, { email: 'bad@x.org' }, { shared }),
        requested(5, { email: 'left@x.org' }, { campaign_copies: { cc: list('bad@x.org') } }),
      );
      expect(outline(events)).toEqual([
        'ContactUpserted',
        'ContactUpserted',
        'ContactUpserted',
        'MessageSuppressed suppressed',
        'ContactUpserted',
      ]);
      expect(events.map(lostOf)).toEqual([
        ['bad@x.org suppressed', 'left@x.org unsubscribed'],
        undefined,
        ['bad@x.org suppressed'],
        undefined,
        ['bad@x.org suppressed'],
      ]);
      expect(events[4]!.data).toMatchObject({
        unsubscribed: { code: 'suppressed' },
        suppressed_copies: [{ detail: expect.stringContaining(`refused message ${messageId(99)} permanently`) }],
      });
      expect(find).toHaveBeenCalledTimes(1);
      expect(find.mock.calls[0]![0].map(({ address }) => address)).toEqual([
        'ada@x.org',
        'bad@x.org',
        'good@x.org',
        'left@x.org',
        'eve@x.org',
      ]);
      for (const event of events) expect(() => decodeEvent({ ...encodeEvent(event), ...firstPosition })).not.toThrow();
    });

    it('do not end the message, even when its record is read again', async () => {
      const records: [MessageRequested, number][] = [
        [requested(1, { email: 'ada@x.org' }, { message: { cc: list('bad@x.org', 'ada@x.org') } }), 4],
      ];
      expect((await handleAt(records)).map(lostOf)).toEqual([undefined]);
      await suppress('bad@x.org');
      await suppress('ada@x.org');
      expect(outline(await handleAt(records))).toEqual(['ContactUpserted']);
    });
  });

  it('retries contacts that were changed concurrently, and loses neither change', async () => {
    await handle(requested(1, { email: 'ada@x.org' }));
    const save = service.contacts.save.bind(service.contacts);
    const spy = jest.spyOn(service.contacts, 'save').mockImplementationOnce(async (changed) => {
      const [seen] = await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]);
      await save([{ ...seen!, profile: '{"other":true}', applied: { ...seen!.applied, 9: 1 } }]);
      return save(changed);
    });
    const events = await handleAt([
      [requested(2, { email: 'ada@x.org' }, { profile_data: { a: 1 } }), 1],
      [requested(3, { email: 'grace@x.org' }), 2],
      [requested(4, { email: 'ada@x.org' }, { profile_data: { b: 2 } }), 3],
    ]);
    expect(outline(events)).toEqual(['ContactUpserted', 'ContactUpserted', 'ContactUpserted']);
    expect(spy.mock.calls.map(([saved]) => saved.length)).toEqual([2, 1]);
    const [ada] = await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]);
    expect(ada).toMatchObject({ profile: '{"other":true,"a":1,"b":2}', applied: { 0: 3, 9: 1 } });
    expect(events[2]!.data).toMatchObject({ contact: { profile: { other: true, a: 1, b: 2 } } });
  });

  it('uses the contact that was made concurrently', async () => {
    const save = service.contacts.save.bind(service.contacts);
    jest.spyOn(service.contacts, 'save').mockImplementationOnce(async (changed) => {
      await save([{ ...changed[0]!, id: 'theirs000000000001' }]);
      return save(changed);
    });
    const events = await handleAt([[requested(1, { email: 'ada@x.org' }), 7, 1]]);
    expect(events).toMatchObject([{ type: 'ContactUpserted', data: { contact: { id: 'theirs000000000001' } } }]);
  });

  it('asks for the batch again if the store refuses every save', async () => {
    jest.spyOn(service.contacts, 'save').mockImplementation((changed) => Promise.resolve(changed.map(({ id }) => id)));
    const events = [requestedEvent(requested(1, { email: 'ada@x.org' }), 0)];
    await expect(service.app.get(ResolveConsumer).on(service.batch(events))).rejects.toMatchObject({ retryable: true });
    expect(service.takePublished()).toEqual([]);
  });

  it('passes on the shared part without its profile data', async () => {
    const shared = { profile_data: { team: 'x' }, message: { subject: 'Hi' } };
    const [event, bare] = await handle(
      requested(1, { email: 'ada@x.org' }, { shared }),
      requested(2, { email: 'ada@x.org' }, { shared: { profile_data: { team: 'y' } } }),
    );
    expect(event!.data).toMatchObject({ shared: { message: { subject: 'Hi' } }, contact: { profile: { team: 'x' } } });
    expect(event!.data).not.toHaveProperty('shared.profile_data');
    expect(bare!.data).not.toHaveProperty('shared');
  });

  it('fetches a shared blob once and passes the reference on; a lost one fails the message', async () => {
    const content = Buffer.from('{"profile_data":{"__proto__":{"x":1},"team":"x"}}');
    const blob = createHash('sha256').update(content).digest('hex');
    const shared = { blob, size: content.length };
    service.blobs.set(`a/${blob}`, content);
    const lost = { blob: 'cd'.repeat(32), size: 10 };
    const events = await handle(
      requested(1, { email: 'ada@x.org' }, { shared }),
      requested(2, { email: 'grace@x.org' }, { shared }),
      requested(3, { email: 'lost@x.org' }, { shared: lost }),
      requested(4, { email: 'other@x.org' }, { shared, account_id: 'b' }),
    );
    expect(outline(events)).toEqual([
      'ContactUpserted',
      'ContactUpserted',
      'MessageFailed content_lost',
      'MessageFailed content_lost',
    ]);
    expect(events[1]!.data).toMatchObject({ shared });
    expect(await profileOf('email', 'grace@x.org')).toBe('{"__proto__":{"x":1},"team":"x"}');
    expect(await profileOf('email', 'lost@x.org')).toBeUndefined();
    expect(service.blobReads.filter((read) => read === blob)).toHaveLength(2);
    await handleAt([[requested(5, { email: 'ada@x.org' }, { shared }), 9]]);
    expect(service.blobReads.filter((read) => read === blob)).toHaveLength(2);
  });

  it('publishes nothing when the store is unavailable', async () => {
    jest.spyOn(service.contacts, 'save').mockRejectedValue(Object.assign(new Error('away'), { retryable: true }));
    const events = [requestedEvent(requested(1, { email: 'ada@x.org' }), 0)];
    await expect(service.app.get(ResolveConsumer).on(service.batch(events))).rejects.toMatchObject({ retryable: true });
    expect(service.takePublished()).toEqual([]);
  });

  it('merges records of one contact from two partitions at the same time', async () => {
    const records = (partition: number) =>
      Array.from({ length: 20 }, (_, at): [MessageRequested, number, number] => {
        const profile_data: Json = { [`p${partition}`]: at, [`k${partition}-${at}`]: true };
        return [requested(partition * 100 + at, { email: 'ada@x.org' }, { profile_data }), at, partition];
      });
    const consumer = service.app.get(ResolveConsumer);
    const chunks = [0, 1].flatMap((partition) => [records(partition).slice(0, 10), records(partition).slice(10)]);
    const run = async (from: number) => {
      for (const chunk of chunks.slice(from, from + 2)) {
        await consumer.on(service.batch(chunk.map(([data, at, partition]) => requestedEvent(data, at, partition))));
      }
    };
    await Promise.all([run(0), run(2)]);
    const [ada] = await service.contacts.load([keyRef('a', 'email', 'ada@x.org')]);
    const profile = JSON.parse(ada!.profile) as Json;
    expect(Object.keys(profile)).toHaveLength(42);
    expect(profile).toMatchObject({ p0: 19, p1: 19 });
    expect(ada).toMatchObject({ version: 40, applied: { 0: 19, 1: 19 } });
  });
});
