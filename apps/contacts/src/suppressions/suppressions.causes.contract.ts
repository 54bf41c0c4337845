import { NO_MESSAGE } from './suppression';
import type { Suppressed, Suppression, SuppressionsStore } from './suppressions.store';

export interface OpenSuppressionsStore {
  store: SuppressionsStore;
  close(): Promise<void>;
}

const ref = { accountId: 'a', address: 'x@example.com' };

export const bounced = (address: string, at: number, messageId = 'm1', accountId = 'a'): Suppression => ({
  accountId,
  address,
  at,
  messageId,
  reason: 'mailbox_unknown',
});

export const entry = (
  one: Suppression,
  unsubscribedAt: number | null = null,
  manualAt: number | null = null,
): Suppressed => ({ ...one, unsubscribedAt, manualAt });

/** How an adapter treats complaints beside other causes; part of the contract. */
export function complaintsContract(opened: () => SuppressionsStore): void {
  describe('for complaints', () => {
    let store: SuppressionsStore;
    beforeEach(() => {
      store = opened();
    });
    const bounce = bounced('x@example.com', 3, 'm1');
    const complaint = { ...bounced('x@example.com', 2, 'm2'), reason: 'complained' };
    const shown = async () => (await store.find([ref]))[0];

    it.each([
      ['one after another', [[bounce], [complaint], [bounce]]],
      ['in one call', [[bounce, complaint, bounce]]],
      ['in one call, in reverse order', [[complaint, bounce]]],
    ])('shows a complaint rather than a bounce, added %s', async (_, calls) => {
      for (const causes of calls) await store.add(causes);
      expect(await shown()).toEqual(entry(complaint));
      expect(await store.list('a', 10, null, 'complained')).toEqual([entry(complaint)]);
      expect(await store.list('a', 10, null, 'mailbox_unknown')).toEqual([]);
      await store.add([{ ...complaint, at: 4, messageId: 'm9' }]);
      expect(await store.release(ref, 5, 'mailbox_unknown')).toBe(false);
      expect(await shown()).toEqual(entry(complaint));
      expect(await store.release(ref, 6, 'complained')).toBe(true);
      expect(await shown()).toBeUndefined();
    });

    it('keeps the unsubscription beside a complaint that takes the place of a bounce', async () => {
      const left = { ...bounced('x@example.com', 1, 'm0'), reason: 'unsubscribed' };
      await store.add([left, bounce]);
      await store.add([complaint]);
      expect(await shown()).toEqual(entry(complaint, 1));
      expect(await store.release(ref, 6)).toBe(true);
      expect(await shown()).toEqual(entry(left, 1));
    });

    it('counts one of before the release of a bounce alone, until complaints are released', async () => {
      await store.add([bounce]);
      await store.release(ref, 5, 'mailbox_unknown');
      await store.add([bounce]);
      expect(await shown()).toBeUndefined();
      await store.add([complaint]);
      expect(await shown()).toEqual(entry(complaint));
      await store.release(ref, 6, 'complained');
      await store.add([complaint]);
      expect(await shown()).toBeUndefined();
    });

    it('counts one of before the release of a bounce alone also beside an unsubscription', async () => {
      const left = { ...bounced('x@example.com', 1, 'm0'), reason: 'unsubscribed' };
      await store.add([left, bounce]);
      await store.release(ref, 5, 'mailbox_unknown');
      await store.add([bounce]);
      expect(await shown()).toEqual(entry(left, 1));
      await store.add([complaint]);
      expect(await shown()).toEqual(entry(complaint, 1));
    });

    it('loses none that comes while bounces come and are released', async () => {
      const refs = Array.from({ length: 20 }, (_, at) => ({ accountId: 'a', address: `x${at}@example.com` }));
      await Promise.all(
        refs.flatMap(({ address }, at) => [
          store.add([{ ...bounced(address, 3), eventId: 'e1' }]),
          store.release(refs[at]!, 5, 'mailbox_unknown'),
          store.add([{ ...complaint, address, eventId: 'e2' }]),
          store.release(refs[at]!, 5, 'mailbox_unknown'),
          store.add([{ ...bounced(address, 6, 'm3'), eventId: 'e3' }]),
        ]),
      );
      expect((await store.find(refs)).map(({ reason }) => reason)).toEqual(refs.map(() => 'complained'));
    });

    it('counts none of before a release without a reason', async () => {
      await store.add([bounce]);
      await store.release(ref, 5);
      await store.add([complaint]);
      expect(await shown()).toBeUndefined();
    });
  });
}

/** What an adapter remembers of events; part of the contract. */
export function rememberedEventsContract(opened: () => SuppressionsStore): void {
  describe('for an event that is told again', () => {
    let store: SuppressionsStore;
    beforeEach(() => {
      store = opened();
    });
    const told = (eventId: string, at: number) => ({ ...bounced('x@example.com', at, `of ${eventId}`), eventId });
    const shown = async () => (await store.find([ref]))[0]?.messageId;

    it('does not undo a release, whatever its time, and whatever was shown when it came first', async () => {
      await store.add([told('e1', 1), told('e2', 2), { ...told('e3', 3), reason: 'unsubscribed' }]);
      await store.add([{ ...told('e4', 4), reason: 'complained' }, told('e5', 5)]);
      expect(await store.release(ref, 6, 'complained')).toBe(true);
      expect(await shown()).toBe('of e3');
      const again = ['e1', 'e2', 'e4', 'e5'].map((id) => told(id, 7));
      await store.add([...again, { ...told('e4', 7), reason: 'complained' }]);
      expect(await shown()).toBe('of e3');
      expect(await store.release(ref, 8)).toBe(true);
      await store.add([...again, { ...told('e3', 9), reason: 'unsubscribed' }]);
      expect(await shown()).toBeUndefined();
      await store.add([told('e6', 9)]);
      expect(await shown()).toBe('of e6');
    });

    it('counts for other addresses and accounts', async () => {
      await store.add([told('e1', 1)]);
      await store.release(ref, 2);
      await store.add([
        { ...told('e1', 3), address: 'y@example.com' },
        { ...told('e1', 3), accountId: 'b' },
      ]);
      const others = [
        { ...ref, address: 'y@example.com' },
        { ...ref, accountId: 'b' },
      ];
      expect(await store.find(others)).toHaveLength(2);
      expect(await shown()).toBeUndefined();
    });

    it('is remembered among the last ten of the address', async () => {
      const all = Array.from({ length: 11 }, (_, at) => told(`e${at}`, at + 1));
      await store.add(all.slice(0, 4));
      await store.add(all.slice(4));
      await store.release(ref, 20);
      await store.add(all.slice(1).map((one) => ({ ...one, at: 30 })));
      expect(await shown()).toBeUndefined();
      await store.add([{ ...all[0]!, at: 30 }]);
      expect(await shown()).toBe('of e0');
    });

    it('takes any text as an id', async () => {
      const ids = ['$reason', '"', "'", 'm/returned/{"$literal":1}@x.org', '1'];
      await store.add(ids.map((id) => ({ ...told(id, 1), reason: 'complained' })));
      await store.release(ref, 2);
      await store.add(ids.map((id) => ({ ...told(id, 3), reason: 'complained' })));
      expect(await shown()).toBeUndefined();
    });
  });
}

/** What a version stored that had neither memory of events nor releases that leave complaints to count. */
export interface OlderSuppression extends Suppression {
  releasedAt?: number;
  clearedAt?: number;
  unsubscribedAt?: number;
}

/** What an adapter makes of the suppressions of an older version; `open` makes a store that has them, and migrates it. */
export function olderSuppressionsContract(open: (older: OlderSuppression[]) => Promise<OpenSuppressionsStore>): void {
  const complaintOf = (address: string, at: number) => ({ ...bounced(address, at, 'm8'), reason: 'complained' });
  const older: OlderSuppression[] = [
    bounced('bounced@x.org', 3),
    { ...bounced('released@x.org', 3), releasedAt: 5, clearedAt: 5 },
    { ...complaintOf('forgiven@x.org', 3), releasedAt: 5, clearedAt: 5 },
    { ...bounced('left@x.org', 3), unsubscribedAt: 2 },
    { ...bounced('stays@x.org', 2, 'm0'), reason: 'unsubscribed', clearedAt: 5 },
  ];
  const addresses = older.map(({ address }) => address);
  const manual = { ...bounced('banned@x.org', 2, NO_MESSAGE), reason: 'manual' };
  let opened: OpenSuppressionsStore;
  let store: SuppressionsStore;
  beforeEach(async () => {
    opened = await open([...older, manual]);
    store = opened.store;
  });
  afterEach(() => opened.close());
  const shown = async () => {
    const found = await store.find(addresses.map((address) => ({ accountId: 'a', address })));
    const said = new Map(found.map(({ address, reason, unsubscribedAt }) => [address, [reason, unsubscribedAt]]));
    return Object.fromEntries(addresses.map((address) => [address.split('@')[0], said.get(address)]));
  };
  const asBefore = { bounced: ['mailbox_unknown', null], left: ['mailbox_unknown', 2], stays: ['unsubscribed', 2] };

  it('finds them as they were, and reads again what they were made of', async () => {
    expect(await shown()).toEqual(asBefore);
    await store.add(addresses.map((address) => ({ ...bounced(address, 3), eventId: 'e1' })));
    await store.add([
      complaintOf('released@x.org', 4),
      complaintOf('forgiven@x.org', 3),
      complaintOf('stays@x.org', 5),
    ]);
    expect(await shown()).toEqual(asBefore);
  });

  it('lets a complaint take the place of a bounce, and keeps the unsubscription', async () => {
    await store.add(addresses.map((address) => ({ ...complaintOf(address, 6), eventId: `of ${address}` })));
    const without = ['complained', null];
    const beside = ['complained', 2];
    const all = { bounced: without, released: without, forgiven: without, left: beside, stays: beside };
    expect(await shown()).toEqual(all);
  });

  it('remembers events, and counts complaints of before a release of a bounce, from then on', async () => {
    await store.add([{ ...bounced('released@x.org', 6, 'm9'), eventId: 'e1' }]);
    await store.release({ accountId: 'a', address: 'released@x.org' }, 9, 'mailbox_unknown');
    await store.release({ accountId: 'a', address: 'left@x.org' }, 9, 'mailbox_unknown');
    await store.add([{ ...bounced('released@x.org', 10, 'm9'), eventId: 'e1' }]);
    const { released: _, ...left } = { ...asBefore, left: asBefore.stays, released: undefined };
    expect(await shown()).toEqual(left);
    await store.add([complaintOf('released@x.org', 5), complaintOf('left@x.org', 4)]);
    expect(await shown()).toEqual({ ...left, left: ['complained', 2] });
    await store.add([complaintOf('released@x.org', 6)]);
    expect(await shown()).toMatchObject({ released: ['complained', null] });
  });

  it('keeps a suppression by hand behind a complaint', async () => {
    const banned = { accountId: 'a', address: manual.address };
    const complaint = complaintOf(manual.address, 6);
    expect(await store.find([banned])).toEqual([entry(manual, null, 2)]);
    await store.add([complaint]);
    expect(await store.find([banned])).toEqual([entry(complaint, null, 2)]);
    expect(await store.release(banned, 7, 'complained')).toBe(true);
    expect(await store.find([banned])).toEqual([entry(manual, null, 2)]);
  });
}
