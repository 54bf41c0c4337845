import { idTime } from '@lettermill/events';
import { claimOf, leaseOf, messageId, MINUTE, NOW, queued, settlement } from '../testing/deliveries';
import { MAIN_LANE, type DeliveryKey, type DeliveryStore, type NewDelivery } from './deliveries.store';

/** What every adapter must do with deliveries that were put aside. */
export function lanesContract(store: () => DeliveryStore): void {
  const of = (n: number, domain: string, over: Partial<NewDelivery> = {}) => queued(n, { domain, ...over });
  const inLane = async (lane: string) => (await store().due(100, NOW, lane)).map(({ messageId: id }) => id);

  it('hold what was put aside, in order, apart from the main lane', async () => {
    await store().insert([of(1, 'slow.org'), of(2, 'b.org'), of(3, 'slow.org', { priority: 0 }), of(4, 'a.org')]);
    expect(await store().lanes()).toEqual([]);
    const due = await store().due(100, NOW, MAIN_LANE);
    expect(due.map(({ domain }) => domain)).toEqual(['slow.org', 'slow.org', 'b.org', 'a.org']);
    expect(due.map(({ priority, dueAt }) => [priority, dueAt])).toEqual([0, 1, 1, 1].map((rank) => [rank, NOW]));
    await store().putAside(due.filter(({ domain }) => domain !== 'b.org'));
    expect(await inLane(MAIN_LANE)).toEqual([messageId(2)]);
    expect(await inLane('slow.org')).toEqual([3, 1].map(messageId));
    expect(await store().lanes()).toEqual(['a.org', 'slow.org']);
    expect(await store().nextDue(0, 'slow.org')).toBe(NOW);
    expect(await store().countWaiting(10)).toBe(4);
  });

  it('are kept by a delivery that is deferred, and end when nothing waits in them', async () => {
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

  it('are left by a delivery that is retried on request: it goes to the main lane', async () => {
    await store().insert([of(1, 'slow.org')]);
    await store().putAside([of(1, 'slow.org')]);
    await store().claim([queued(1)], leaseOf('a'));
    await store().record([{ ...settlement(claimOf(1, 'a'), 'bounced'), mayReturn: true }]);
    const before = (await store().find([queued(1)]))[0]!;
    const next = { ...before, state: 'deferred' as const, dueAt: NOW };
    expect(await store().order([{ before, next, event: { id: 'again', json: '{}' } }])).toEqual([true]);
    expect(await inLane(MAIN_LANE)).toEqual([messageId(1)]);
    expect(await store().lanes()).toEqual([]);
  });
}

/** What every adapter must do with deliveries whose time is over. */
export function expiryContract(store: () => DeliveryStore): void {
  const expiring = (n: number, expiresAt: number | null) => queued(n, { expiresAt });
  const expiredIds = async (now: number, limit = 10) =>
    (await store().expired(limit, now)).map(({ messageId: id, expiresAt }) => [id, expiresAt - NOW]);

  it('finds those that wait, in the order in which they expired', async () => {
    await store().insert([expiring(1, NOW + 2), expiring(2, null), expiring(3, NOW + 1), expiring(4, NOW + 3)]);
    await store().putAside([queued(3)]);
    expect(await expiredIds(NOW)).toEqual([]);
    expect(await expiredIds(NOW + 2)).toEqual([
      [messageId(3), 1],
      [messageId(1), 2],
    ]);
    expect(await expiredIds(NOW + 9, 1)).toEqual([[messageId(3), 1]]);
  });

  it('finds neither those that are being sent nor those that have ended', async () => {
    await store().insertAndClaim(
      [1, 2, 3].map((n) => expiring(n, NOW)),
      [queued(1), queued(2)],
      leaseOf('a'),
    );
    expect(await expiredIds(NOW)).toEqual([[messageId(3), 0]]);
    await store().record([settlement(claimOf(1, 'a'), 'failed'), settlement(claimOf(2, 'a'), 'deferred', NOW + 1)]);
    expect((await expiredIds(NOW)).map(([id]) => id).sort()).toEqual([messageId(2), messageId(3)]);
  });
}

/** What every adapter must do with deliveries that wait too long because the clock was set back. */
export function recallContract(store: () => DeliveryStore): void {
  const HOUR = 60 * MINUTE;
  const recall = { acceptedAfter: NOW, latest: [NOW, NOW + MINUTE, NOW + 5 * MINUTE] };
  const born = (at: number, n: number) => `${idTime(at)}${String(n).padStart(11, '0')}`;
  const of = (n: number, at: number, over: Partial<NewDelivery> = {}) =>
    queued(n, { messageId: born(at, n), dueAt: NOW + HOUR, ...over });
  const dueAtOf = async (...deliveries: DeliveryKey[]) => {
    const found = await store().find(deliveries);
    return deliveries.map(({ messageId: id }) => found.find((one) => one.messageId === id)!.dueAt! - NOW);
  };
  /** Stores a delivery as it is after that many attempts, due in an hour. */
  const putOff = async (one: NewDelivery, attempts: number) => {
    await store().insert([{ ...one, dueAt: NOW }]);
    for (let n = 0; n < attempts; n += 1) {
      await store().claim([one], leaseOf('a'));
      const { accountId, messageId: id } = one;
      const settled = settlement(
        { accountId, messageId: id, owner: 'a', attempts: n, claimedAt: NOW },
        'deferred',
        NOW,
      );
      await store().record([{ ...settled, next: { ...settled.next, dueAt: n + 1 < attempts ? NOW : NOW + HOUR } }]);
    }
  };

  it('makes deliveries accepted in the future due, of every priority and lane', async () => {
    // The first is due sooner than some delays allow: only its id tells that it is from the future.
    const first = of(1, NOW + 1, { dueAt: NOW + 1 });
    const all = [first, of(2, NOW + HOUR, { priority: 0 }), of(3, NOW + HOUR, { domain: 'slow.org' })];
    await store().insert(all);
    await store().putAside([{ ...all[2]! }]);
    expect(await store().recall(recall)).toBe(3);
    expect(await dueAtOf(...all)).toEqual([0, 0, 0]);
    expect((await store().due(10, NOW, MAIN_LANE)).map(({ messageId: id }) => id)).toEqual([
      all[1]!.messageId,
      all[0]!.messageId,
    ]);
    expect(await store().recall(recall)).toBe(0);
  });

  it('lets deferred deliveries wait for at most their longest possible delay', async () => {
    const all = [1, 2, 3].map((n) => of(n, NOW + HOUR));
    for (const [at, one] of all.entries()) await putOff(one, at + 1);
    expect(await store().recall(recall)).toBe(3);
    expect(await dueAtOf(...all)).toEqual([MINUTE, 5 * MINUTE, 5 * MINUTE]);
    expect(await store().recall(recall)).toBe(0);
  });

  it('recalls deliveries accepted earlier if they wait longer than any delay', async () => {
    const all = [of(1, NOW - HOUR), of(2, NOW), of(3, NOW - 1)];
    await store().insert(all.slice(0, 1));
    await putOff(all[1]!, 1);
    await putOff(all[2]!, 4);
    expect(await store().recall(recall)).toBe(3);
    expect(await dueAtOf(...all)).toEqual([0, MINUTE, 5 * MINUTE]);
  });

  it('changes nothing about deliveries accepted earlier, due already or soon enough, or being sent', async () => {
    const before = of(1, NOW, { dueAt: NOW + 5 * MINUTE });
    const [due, going] = [of(2, NOW + HOUR, { dueAt: NOW }), of(3, NOW + HOUR)];
    await store().insert([before, due, going]);
    const deferred = of(4, NOW + HOUR);
    await store().insert([{ ...deferred, dueAt: NOW }]);
    await store().claim([deferred], leaseOf('a'));
    const claim = { accountId: 'default', messageId: deferred.messageId, owner: 'a', attempts: 0, claimedAt: NOW };
    await store().record([settlement(claim, 'deferred', NOW + MINUTE / 2)]);
    await store().claim([going], leaseOf('a', NOW + HOUR));
    expect(await store().recall(recall)).toBe(0);
    expect(await dueAtOf(before, due, deferred)).toEqual([5 * MINUTE, 0, MINUTE / 2]);
    expect((await store().find([going]))[0]).toMatchObject({ state: 'sending', dueAt: null });
  });

  it('recalls any number of deliveries', async () => {
    await store().insert(Array.from({ length: 2_500 }, (_, n) => of(n, NOW + HOUR)));
    expect(await store().recall(recall)).toBe(2_500);
    expect(await store().nextDue(NOW, MAIN_LANE)).toBeNull();
  });
}

/** What every adapter must delete, and what it must keep. */
export function sweepingContract(store: () => DeliveryStore): void {
  const DAY = 86_400_000;
  const born = (days: number, n: number) => `${idTime(NOW - days * DAY)}${String(n).padStart(11, '0')}`;
  const none = { contents: null, deliveries: null };
  const ended = async (id: string, accountId: string, mayReturn: boolean, told = true) => {
    await store().insert([queued(1, { accountId, messageId: id })]);
    await store().claim([{ accountId, messageId: id }], leaseOf('a'));
    const claim = { accountId, messageId: id, owner: 'a', attempts: 0, claimedAt: NOW };
    const how = settlement(claim, mayReturn ? 'bounced' : 'sent');
    await store().record([{ ...how, mayReturn }]);
    if (told) await store().forgetAnnounced([how.event!.id]);
    return { accountId, messageId: id };
  };

  it('deletes old ended deliveries of every account, in batches, and none that waits', async () => {
    const old = [await ended(born(40, 1), 'a', false), await ended(born(40, 2), 'b', true)];
    const young = await ended(born(20, 3), 'a', false);
    const others = [await ended(born(40, 5), 'a', false), await ended(born(40, 6), 'a', false)];
    const waits = { accountId: 'a', messageId: born(40, 4) };
    await store().insert([queued(4, waits)]);
    expect(await store().sweep(none, 10)).toBe(false);
    expect(await store().find(old)).toHaveLength(2);
    const before = { ...none, deliveries: NOW - 30 * DAY };
    expect(await store().sweep(before, 2)).toBe(true);
    while (await store().sweep(before, 2));
    expect(await store().find([...old, ...others])).toEqual([]);
    expect(await store().find([young, waits])).toHaveLength(2);
  });

  it('deletes nothing with an event still to be announced', async () => {
    const untold = await ended(born(40, 1), 'a', false, false);
    const before = { ...none, deliveries: NOW - 30 * DAY };
    await store().sweep(before, 10);
    const [outcome] = await store().unannounced(10);
    expect(outcome).toMatchObject({ id: expect.stringContaining(untold.messageId) });
    await store().forgetAnnounced([outcome!.id]);
    await store().sweep(before, 10);
    expect(await store().find([untold])).toEqual([]);
  });

  it('deletes old contents before deliveries, in batches, and none that waits', async () => {
    const keys: DeliveryKey[] = [];
    for (const n of [1, 2, 3]) keys.push(await ended(born(8, n), 'a', true));
    const others = [{ accountId: 'a', messageId: born(8, 4) }, await ended(born(6, 5), 'a', true)];
    await store().insert([queued(4, others[0])]);
    const before = { ...none, contents: NOW - 7 * DAY };
    const kept = async () =>
      (await store().find([...keys, ...others])).filter(({ content }) => content !== null).length;
    expect(await store().sweep(before, 2)).toBe(true);
    expect(await kept()).toBe(3);
    expect(await store().sweep(before, 2)).toBe(false);
    expect(await kept()).toBe(2);
    expect(await store().find(keys)).toHaveLength(3);
  });
}
