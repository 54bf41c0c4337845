import type { ReasonCode } from '@lettermill/problems';
import type { RefusalsStore, StoredRefusal } from './refusals.store';

export interface OpenRefusalsStore {
  store: RefusalsStore;
  close(): Promise<void>;
}

function refused(messageId: string, code: ReasonCode, accountId = 'a', address: string | null = null): StoredRefusal {
  return { accountId, messageId, reason: { code, detail: `because of ${code}` }, address };
}

/** The suite that every adapter of the refusals store runs; `open` makes a fresh, migrated one. */
export function refusalsStoreContract(open: () => Promise<OpenRefusalsStore>): void {
  let opened: OpenRefusalsStore;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  it('finds nothing in an empty store, and accepts an empty call', async () => {
    await opened.store.record([], 1);
    expect(await opened.store.load([])).toEqual([]);
    expect(await opened.store.load([{ accountId: 'a', messageId: 'm' }])).toEqual([]);
  });

  it('returns what was recorded, of the given account only', async () => {
    const all = [refused('m1', 'no_address'), refused('m2', 'suppressed', 'b', 'x@example.com')];
    await opened.store.record(all, 1);
    const asked = ['m1', 'm2', 'm3'].map((messageId) => ({ accountId: 'b', messageId }));
    expect(await opened.store.load(asked)).toEqual([all[1]]);
  });

  it('keeps the first refusal of a message', async () => {
    await opened.store.record([refused('m1', 'no_address')], 1);
    await opened.store.record([refused('m1', 'suppressed'), refused('m2', 'suppressed')], 2);
    const found = await opened.store.load([{ accountId: 'a', messageId: 'm1' }]);
    expect(found).toEqual([refused('m1', 'no_address')]);
  });

  it('sweeps what is older than the given time, in steps, and nothing else', async () => {
    await opened.store.record(
      ['m1', 'm2', 'm3'].map((id) => refused(id, 'no_address')),
      1,
    );
    await opened.store.record([refused('m4', 'suppressed')], 2);
    expect(await opened.store.sweep(1, 2)).toBe(false);
    expect(await opened.store.sweep(2, 2)).toBe(true);
    expect(await opened.store.sweep(2, 2)).toBe(false);
    const asked = ['m1', 'm2', 'm3', 'm4'].map((messageId) => ({ accountId: 'a', messageId }));
    expect(await opened.store.load(asked)).toEqual([refused('m4', 'suppressed')]);
  });
}
