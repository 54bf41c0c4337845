import type { Suppression, SuppressionsStore } from './suppressions.store';

export interface OpenSuppressionsStore {
  store: SuppressionsStore;
  close(): Promise<void>;
}

const bounced = (address: string, at: number, messageId = 'm1', accountId = 'a'): Suppression => ({
  ...{ accountId, address, at, messageId },
  reason: 'mailbox_unknown',
});

/** What every store of suppressions must do; `open` gives a fresh, migrated one. */
export function suppressionsStoreContract(open: () => Promise<OpenSuppressionsStore>): void {
  let opened: OpenSuppressionsStore;
  let store: SuppressionsStore;
  const ref = { accountId: 'a', address: 'x@example.com' };

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  it('takes and gives nothing', async () => {
    await store.add([]);
    expect(await store.find([])).toEqual([]);
    expect(await store.find([ref])).toEqual([]);
    expect(await store.list('a', 10, null)).toEqual([]);
    expect(await store.release(ref, 1)).toBe(false);
  });

  it('finds what was added, in that account alone', async () => {
    const all = [bounced('x@example.com', 1), bounced('y@example.com', 2, 'm2', 'b')];
    await store.add(all);
    const refs = ['x@example.com', 'y@example.com'].map((address) => ({ accountId: 'b', address }));
    expect(await store.find(refs)).toEqual([all[1]]);
    expect(await store.list('a', 10, null)).toEqual([all[0]]);
  });

  it('keeps the first cause of an address, also within one call', async () => {
    await store.add([bounced('x@example.com', 1, 'm1'), bounced('x@example.com', 2, 'm2')]);
    await store.add([bounced('x@example.com', 3, 'm3')]);
    expect(await store.find([ref])).toEqual([bounced('x@example.com', 1, 'm1')]);
  });

  it('releases an address once; only a later bounce brings it back', async () => {
    await store.add([bounced('x@example.com', 1)]);
    expect(await store.release({ ...ref, accountId: 'b' }, 5)).toBe(false);
    expect(await store.release(ref, 5)).toBe(true);
    expect(await store.release(ref, 6)).toBe(false);
    await store.add([bounced('x@example.com', 1)]);
    expect(await store.find([ref])).toEqual([]);
    expect(await store.list('a', 10, null)).toEqual([]);
    await store.add([bounced('x@example.com', 6, 'm2')]);
    expect(await store.find([ref])).toEqual([bounced('x@example.com', 6, 'm2')]);
  });

  it('holds back more where somebody had only unsubscribed, and less never', async () => {
    const left = { ...bounced('a@x.org', 1), reason: 'unsubscribed' };
    await store.add([left]);
    await store.add([{ ...left, at: 2 }]);
    expect(await store.find([left])).toEqual([left]);
    await store.add([bounced('a@x.org', 3)]);
    expect(await store.find([left])).toEqual([bounced('a@x.org', 3)]);
    await store.add([{ ...left, at: 4 }]);
    expect(await store.find([left])).toEqual([bounced('a@x.org', 3)]);
  });

  it('lists newest first, page by page, also where times are the same', async () => {
    const all = [bounced('c@x.org', 3), bounced('b@x.org', 2), bounced('a@x.org', 2), bounced('d@x.org', 1)];
    await store.add([...all].reverse());
    expect(await store.list('a', 2, null)).toEqual(all.slice(0, 2));
    expect(await store.list('a', 2, { at: 2, address: 'b@x.org' })).toEqual(all.slice(2));
    expect(await store.list('a', 2, { at: 1, address: 'd@x.org' })).toEqual([]);
  });
}
