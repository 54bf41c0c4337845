import { claimOf, leaseOf, messageId, MINUTE, NOW, queued, settlement } from '../testing/deliveries';
import { doubtContract } from './deliveries.doubt.contract';
import { ordersContract } from './deliveries.orders.contract';
import { restContract } from './deliveries.rest.contract';
import { MAIN_LANE, type DeliveryStore, type Settlement } from './deliveries.store';
import { expiryContract, lanesContract, recallContract, sweepingContract } from './deliveries.upkeep.contract';

/** What every adapter of the port must do. `make` gives an empty, migrated store. */
export function deliveryStoreContract(make: () => Promise<DeliveryStore>): void {
  let store: DeliveryStore;
  beforeEach(async () => {
    store = await make();
  });
  const dueIds = async (now = NOW, limit = 100): Promise<string[]> =>
    (await store.due(limit, now, MAIN_LANE)).map((due) => due.messageId);

  it('finds deliveries of its own account only, including ended ones', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await store.insert([queued(1, { recipients: ['ada@x.org', 'bob@x.org'], traceparent }), queued(2)]);
    await store.claim([queued(1)], leaseOf('a'));
    await store.record([settlement(claimOf(1, 'a'), 'sent')]);
    const asked = [1, 2, 3].map((n) => ({ accountId: 'default', messageId: messageId(n) }));
    const found = await store.find([...asked, { accountId: 'other', messageId: messageId(1) }]);
    expect(found.sort((one, other) => (one.messageId < other.messageId ? -1 : 1))).toEqual([
      expect.objectContaining({ ...asked[0], state: 'sent', recipients: ['ada@x.org', 'bob@x.org'], traceparent }),
      expect.objectContaining({ ...asked[1], state: 'queued', recipients: ['ada2@example.org'] }),
    ]);
  });

  it('stores a delivery once, even if it is inserted again', async () => {
    expect(await store.insert([queued(1), queued(2)])).toBe(2);
    expect(await store.insert([queued(2, { content: 'other' }), queued(3)])).toBe(1);
    const claimed = await store.claim([queued(2)], leaseOf('a'));
    expect(claimed).toMatchObject([{ messageId: messageId(2), content: 'content 2', attempts: 0, claimedAt: NOW }]);
  });

  it('inserts and claims new deliveries in the same call', async () => {
    expect(await store.insertAndClaim([queued(1), queued(2)], [], leaseOf('a'))).toEqual({ added: 2, claimed: [] });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { added, claimed } = await store.insertAndClaim(
      [queued(2, { content: 'other' }), queued(3, { traceparent }), queued(4)],
      [queued(2), queued(3)],
      leaseOf('a'),
    );
    expect(added).toBe(2);
    expect(claimed.sort((one, other) => (one.messageId < other.messageId ? -1 : 1))).toEqual([
      { accountId: 'default', messageId: messageId(2), attempts: 0, claimedAt: NOW, content: 'content 2' },
      { accountId: 'default', messageId: messageId(3), attempts: 0, claimedAt: NOW, content: 'content 3', traceparent },
    ]);
    // Handed over again when one has ended and the other is under a lease.
    await store.record([settlement(claimOf(2, 'a'), 'sent')]);
    const again = await store.insertAndClaim([queued(2), queued(3)], [queued(2), queued(3)], leaseOf('b'));
    expect(again).toEqual({ added: 0, claimed: [] });
    expect(await dueIds()).toEqual([messageId(1), messageId(4)]);
    const later = queued(5, { dueAt: NOW + 1 });
    expect(await store.insertAndClaim([later], [later], leaseOf('a'))).toEqual({ added: 1, claimed: [] });
  });

  it('does not wake an ended delivery that is inserted again', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    await store.record([settlement(claimOf(1, 'a'), 'sent')]);
    expect(await store.insert([queued(1)])).toBe(0);
    expect(await dueIds()).toEqual([]);
    expect(await store.claim([queued(1)], leaseOf('a'))).toEqual([]);
  });

  it('returns due deliveries by priority, then by due time and id, and none before its time', async () => {
    await store.insert([
      queued(6, { priority: 2, dueAt: NOW - 9 }),
      queued(1, { priority: 2, dueAt: NOW - 9 }),
      queued(2, { dueAt: NOW - 1 }),
      queued(3, { dueAt: NOW - 5 }),
      queued(4, { priority: 0, dueAt: NOW }),
      queued(5, { priority: 0, dueAt: NOW + 1 }),
    ]);
    expect(await dueIds()).toEqual([4, 3, 2, 1, 6].map(messageId));
    expect(await dueIds(NOW, 2)).toEqual([4, 3].map(messageId));
    expect(await store.claim([queued(5)], leaseOf('a'))).toEqual([]);
    expect(await store.nextDue(0, MAIN_LANE)).toBe(NOW - 9);
    expect(await store.nextDue(NOW, MAIN_LANE)).toBe(NOW + 1);
    expect(await store.nextDue(NOW + 1, MAIN_LANE)).toBeNull();
    expect(await store.countWaiting(100)).toBe(6);
    expect(await store.countWaiting(3)).toBe(3);
  });

  it('gives a delivery to one claimant only', async () => {
    await store.insert([queued(1), queued(2), queued(3)]);
    const keys = [1, 2, 3].map((n) => queued(n));
    const claims = await Promise.all(['a', 'b', 'c'].map((owner) => store.claim(keys, leaseOf(owner))));
    expect(
      claims
        .flat()
        .map((claimed) => claimed.messageId)
        .sort(),
    ).toEqual([1, 2, 3].map(messageId));
    expect(await store.nextDue(0, MAIN_LANE)).toBeNull();
    expect(await store.countWaiting(10)).toBe(0);
  });

  it('keeps accounts apart', async () => {
    await store.insert([queued(1)]);
    expect(await store.claim([queued(1, { accountId: 'other' })], leaseOf('a'))).toEqual([]);
    await store.claim([queued(1)], leaseOf('a'));
    const foreign = { ...claimOf(1, 'a'), accountId: 'other' };
    expect(await store.renew([foreign], NOW + MINUTE)).toEqual([false]);
    expect(await store.record([settlement(foreign, 'sent')])).toEqual([false]);
    expect(await store.unannounced(10)).toEqual([]);
  });

  it('records an outcome with its event and makes a deferred delivery due again', async () => {
    await store.insert([queued(1, { traceparent: '00-1-2-01' })]);
    const [claimed] = await store.claim([queued(1)], leaseOf('a'));
    expect(claimed!.traceparent).toBe('00-1-2-01');
    const deferred = settlement(claimOf(1, 'a'), 'deferred', NOW + MINUTE);
    expect(await store.record([deferred])).toEqual([true]);
    expect(await store.unannounced(10)).toEqual([deferred.event]);
    expect(await dueIds()).toEqual([]);
    expect(await store.nextDue(0, MAIN_LANE)).toBe(NOW + MINUTE);
    const again = await store.claim([queued(1)], leaseOf('b', NOW + MINUTE));
    expect(again).toMatchObject([{ attempts: 1, content: 'content 1', claimedAt: NOW + MINUTE }]);
    await store.forgetAnnounced([deferred.event!.id]);
    expect(await store.unannounced(10)).toEqual([]);
  });

  it('refuses the outcome of a fenced-out owner', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    const later = NOW + 2 * MINUTE;
    expect(await store.takeOver(leaseOf('b', later), 10)).toMatchObject([{ claimedAt: NOW, attempts: 0 }]);
    expect(await store.renew([claimOf(1, 'a')], later)).toEqual([false]);
    expect(await store.record([settlement(claimOf(1, 'a'), 'sent')])).toEqual([false]);
    expect(await store.unannounced(10)).toEqual([]);
    expect(await store.record([settlement(claimOf(1, 'b'), 'uncertain', later)])).toEqual([true]);
    expect(await store.record([settlement(claimOf(1, 'a'), 'sent')])).toEqual([false]);
    expect(await dueIds(later)).toEqual([messageId(1)]);
  });

  it('accepts a repeated record and refuses a different late one', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    const sent = settlement(claimOf(1, 'a'), 'sent');
    expect(await store.record([sent])).toEqual([true]);
    expect(await store.record([sent])).toEqual([true]);
    expect(await store.unannounced(10)).toHaveLength(1);
    const bounced = settlement(claimOf(1, 'a'), 'bounced');
    expect(await store.record([bounced])).toEqual([false]);
  });

  it('does not take an earlier attempt that is recorded again for a later claim of the same owner', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    const deferred = settlement(claimOf(1, 'a'), 'deferred', NOW);
    await store.record([deferred]);
    await store.claim([queued(1)], leaseOf('a'));
    expect(await store.record([deferred])).toEqual([true]);
    expect(await store.renew([claimOf(1, 'a')], NOW + MINUTE)).toEqual([false]);
    expect(await store.find([queued(1)])).toMatchObject([{ state: 'sending', attempts: 1 }]);
    expect(await store.record([settlement(claimOf(1, 'a', 1), 'sent')])).toEqual([true]);
    expect(await store.unannounced(10)).toHaveLength(2);
  });

  it('accepts a claim that is given back, without an event', async () => {
    await store.insert([queued(0), queued(1)]);
    await store.claim([queued(0)], leaseOf('b'));
    await store.claim([queued(1)], leaseOf('a'));
    const back: Settlement = {
      claim: claimOf(1, 'a'),
      next: { ...queued(1), state: 'queued', attempts: 0, dueAt: NOW + 5 },
      event: null,
    };
    expect(await store.record([settlement(claimOf(2, 'a'), 'sent'), back])).toEqual([false, true]);
    expect(await store.record([back])).toEqual([false]);
    expect(await store.unannounced(10)).toEqual([]);
    expect(await dueIds(NOW + 5)).toEqual([messageId(1)]);
  });

  it('does not take an earlier claim that is given back for a later one of the same owner', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    const next = { ...queued(1), state: 'queued' as const, attempts: 0, dueAt: NOW };
    const back: Settlement = { claim: claimOf(1, 'a'), next, event: null };
    expect(await store.record([back])).toEqual([true]);
    const [again] = await store.claim([queued(1)], leaseOf('a', NOW + 500));
    expect(await store.record([back])).toEqual([false]);
    expect(await store.find([queued(1)])).toMatchObject([{ state: 'sending' }]);
    expect(await store.claim([queued(1)], leaseOf('b', NOW + 1000))).toEqual([]);
    const claim = claimOf(1, 'a', 0, again!.claimedAt);
    expect(await store.record([{ ...back, claim }])).toEqual([true]);
  });

  it('does not drop content that another outcome kept', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    await store.takeOver(leaseOf('b', NOW + 2 * MINUTE), 10);
    await store.record([{ ...settlement(claimOf(1, 'b'), 'bounced'), mayReturn: true }]);
    expect(await store.record([settlement(claimOf(1, 'a'), 'sent')])).toEqual([false]);
    expect(await store.find([queued(1)])).toMatchObject([{ state: 'bounced', content: 'content 1' }]);
  });

  it('takes over expired leases only', async () => {
    await store.insert([queued(1), queued(2)]);
    await store.claim([queued(1), queued(2)], leaseOf('a'));
    expect(await store.renew([claimOf(1, 'a')], NOW + 2 * MINUTE)).toEqual([true]);
    const later = leaseOf('b', NOW + MINUTE);
    expect(await store.takeOver(later, 10)).toMatchObject([{ messageId: messageId(2) }]);
    expect(await store.takeOver(later, 10)).toEqual([]);
    const muchLater = leaseOf('a', NOW + 10 * MINUTE);
    expect(await store.takeOver(muchLater, 10, [queued(1)])).toMatchObject([{ messageId: messageId(2) }]);
    // Claimed under its own name but held by no process: its outcome was never recorded.
    expect(await store.takeOver(muchLater, 10)).toMatchObject([{ messageId: messageId(1) }]);
  });

  it('takes over leases that last longer than any can, only if asked to', async () => {
    await store.insert([queued(1), queued(2), queued(3)]);
    await store.claim([queued(1)], leaseOf('a', NOW + 60 * MINUTE));
    await store.claim([queued(2)], leaseOf('b', NOW + MINUTE));
    const lease = leaseOf('c', NOW + MINUTE);
    expect(await store.takeOver(lease, 10)).toEqual([]);
    const astray = lease.until + MINUTE;
    expect(await store.takeOver({ ...lease, astray }, 10, [queued(1)])).toEqual([]);
    expect(await store.takeOver({ ...lease, astray: NOW + 61 * MINUTE }, 10)).toEqual([]);
    const [taken, ...none] = await store.takeOver({ ...lease, astray }, 10);
    expect([taken, none]).toMatchObject([{ messageId: messageId(1), content: 'content 1' }, []]);
    expect(await store.takeOver({ ...lease, astray }, 10)).toEqual([]);
    expect(await store.renew([claimOf(1, 'a'), claimOf(2, 'b'), claimOf(1, 'c')], NOW)).toEqual([false, true, true]);
    expect(await store.takeOver({ ...leaseOf('d'), astray }, 10)).toHaveLength(2);
  });

  it('gives an expired lease to one process only', async () => {
    await store.insert([queued(1)]);
    await store.claim([queued(1)], leaseOf('a'));
    const takers = ['b', 'c', 'd'].map((owner) => store.takeOver(leaseOf(owner, NOW + 2 * MINUTE), 10));
    expect((await Promise.all(takers)).flat()).toHaveLength(1);
  });

  it('returns unannounced events oldest first, up to a limit', async () => {
    const ids = [1, 2, 3];
    await store.insert(ids.map((n) => queued(n)));
    await store.claim(
      ids.map((n) => queued(n)),
      leaseOf('a'),
    );
    const settlements = ids.map((n) => settlement(claimOf(n, 'a'), 'sent'));
    expect(await store.record(settlements)).toEqual([true, true, true]);
    expect((await store.unannounced(2)).map(({ id }) => id)).toEqual(settlements.slice(0, 2).map((s) => s.event!.id));
    await store.forgetAnnounced(settlements.slice(0, 2).map((s) => s.event!.id));
    expect(await store.unannounced(2)).toEqual([settlements[2]!.event]);
  });

  it('returns the oldest event first, although its delivery has a later one', async () => {
    await store.insert([queued(1), queued(2)]);
    await store.claim([queued(2)], leaseOf('a'));
    const [first, second, last] = [0, 1, 2].map((n) => settlement(claimOf(1, 'a', n), 'deferred', NOW));
    for (const one of [first!, second!, settlement(claimOf(2, 'a'), 'sent'), last!]) {
      await store.claim([queued(1)], leaseOf('a'));
      expect(await store.record([one])).toEqual([true]);
    }
    expect(await store.unannounced(1)).toEqual([first!.event]);
    await store.forgetAnnounced([first!.event!.id]);
    expect(await store.unannounced(1)).toEqual([second!.event]);
  });

  it('forgets any number of events', async () => {
    const all = Array.from({ length: 250 }, (_, n) => queued(n));
    await store.insertAndClaim(all, all, leaseOf('a'));
    const settlements = all.map((_, n) => settlement(claimOf(n, 'a'), 'sent'));
    await store.record(settlements);
    await store.forgetAnnounced(settlements.map(({ event }) => event!.id));
    expect(await store.unannounced(10)).toEqual([]);
  });

  describe('lanes', () => lanesContract(() => store));
  describe('deliveries that expire', () => expiryContract(() => store));
  describe('a clock that was set back', () => recallContract(() => store));
  describe('a sweep', () => sweepingContract(() => store));
  describe('orders', () => ordersContract(() => store));
  describe('the remaining recipients of a delivery', () => restContract(() => store));
  describe('mayHaveArrived', () => doubtContract(() => store));

  it('accepts empty lists', async () => {
    expect(await store.insert([])).toBe(0);
    expect(await store.claim([], leaseOf('a'))).toEqual([]);
    expect(await store.renew([], NOW)).toEqual([]);
    expect(await store.record([])).toEqual([]);
    await store.forgetAnnounced([]);
    expect(await store.find([])).toEqual([]);
    expect(await store.order([])).toEqual([]);
    expect(await store.takeOverOwn(leaseOf('a'), 10)).toEqual([]);
  });
}
