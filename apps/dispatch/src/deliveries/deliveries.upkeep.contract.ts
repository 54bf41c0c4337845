import { idTime } from '@lettermill/events';
import { claimOf, leaseOf, messageId, NOW, queued, settlement } from '../testing/deliveries';
import { MAIN_LANE, type DeliveryKey, type DeliveryStore, type NewDelivery } from './deliveries.store';

/** What every adapter must do with what was put aside. */
export function lanesContract(store: () => DeliveryStore): void {
  const of = (n: number, domain: string, over: Partial<NewDelivery> = {}) => queued(n, { domain, ...over });
  const inLane = async (lane: string) => (await store().due(100, NOW, lane)).map(({ messageId: id }) => id);

  it('hold what was put aside, in order, out of the way of the others', async () => {
    await store().insert([of(1, 'slow.org'), of(2, 'b.org'), of(3, 'slow.org', { priority: 0 }), of(4, 'a.org')]);
    expect(await store().lanes()).toEqual([]);
    const due = await store().due(100, NOW, MAIN_LANE);
    expect(due.map(({ domain }) => domain)).toEqual(['slow.org', 'slow.org', 'b.org', 'a.org']);
    await store().putAside(due.filter(({ domain }) => domain !== 'b.org'));
    expect(await inLane(MAIN_LANE)).toEqual([messageId(2)]);
    expect(await inLane('slow.org')).toEqual([3, 1].map(messageId));
    expect(await store().lanes()).toEqual(['a.org', 'slow.org']);
    expect(await store().nextDue(0, 'slow.org')).toBe(NOW);
    expect(await store().waiting(10)).toBe(4);
  });

  it('stay as they are for a delivery that comes again, and end with it', async () => {
    await store().insert([of(1, 'slow.org')]);
    await store().putAside(await store().due(1, NOW, MAIN_LANE));
    await store().claim([queued(1)], leaseOf('a'));
    expect(await store().lanes()).toEqual([]);
    await store().putAside([of(1, 'slow.org')]);
    await store().record([settlement(claimOf(1, 'a'), 'deferred', NOW + 1)]);
    expect(await store().lanes()).toEqual(['slow.org']);
    expect(await store().nextDue(0, 'slow.org')).toBe(NOW + 1);
    expect(await store().nextDue(0, MAIN_LANE)).toBeNull();
  });
}

/** What every adapter must forget, and what not. */
export function sweepingContract(store: () => DeliveryStore): void {
  const DAY = 86_400_000;
  const born = (days: number, n: number) => `${idTime(NOW - days * DAY)}${String(n).padStart(11, '0')}`;
  const none = { contents: null, deliveries: null };
  const ended = async (id: string, accountId: string, mayReturn: boolean) => {
    await store().insert([queued(1, { accountId, messageId: id })]);
    await store().claim([{ accountId, messageId: id }], leaseOf('a'));
    const claim = { accountId, messageId: id, owner: 'a', attempts: 0 };
    await store().record([{ ...settlement(claim, mayReturn ? 'bounced' : 'sent'), mayReturn }]);
    return { accountId, messageId: id };
  };

  it('forgets what ended and is old, of every account, and nothing that waits', async () => {
    const old = [await ended(born(40, 1), 'a', false), await ended(born(40, 2), 'b', true)];
    const young = await ended(born(20, 3), 'a', false);
    const waits = { accountId: 'a', messageId: born(40, 4) };
    await store().insert([queued(4, waits)]);
    expect(await store().sweep(none, 10)).toBe(false);
    expect(await store().find(old)).toHaveLength(2);
    expect(await store().sweep({ ...none, deliveries: NOW - 30 * DAY }, 10)).toBe(false);
    expect(await store().find(old)).toEqual([]);
    expect(await store().find([young, waits])).toHaveLength(2);
  });

  it('forgets contents before deliveries, and in parts', async () => {
    const keys: DeliveryKey[] = [];
    for (const n of [1, 2, 3]) keys.push(await ended(born(8, n), 'a', true));
    const waits = { accountId: 'a', messageId: born(8, 4) };
    await store().insert([queued(4, waits)]);
    const before = { ...none, contents: NOW - 7 * DAY };
    const kept = async () => (await store().find([...keys, waits])).filter(({ content }) => content !== null).length;
    expect(await store().sweep(before, 2)).toBe(true);
    expect(await kept()).toBe(2);
    expect(await store().sweep(before, 2)).toBe(false);
    expect(await kept()).toBe(1);
    expect(await store().find(keys)).toHaveLength(3);
  });
}
