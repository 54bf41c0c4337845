import { claimOf, leaseOf, messageId, MINUTE, NOW, queued, settlement } from '../testing/deliveries';
import { MAIN_LANE, type DeliveryStore, type Order } from './deliveries.store';
import type { Delivery, DeliveryState } from '../lifecycle/delivery';

/** What every adapter must do with orders to cancel and to retry. */
export function ordersContract(store: () => DeliveryStore): void {
  const dueIds = async (): Promise<string[]> => (await store().due(100, NOW, MAIN_LANE)).map((due) => due.messageId);
  const order = (before: Delivery | null, state: DeliveryState, dueAt: number | null = null): Order => {
    const next: Delivery = { accountId: 'default', messageId: messageId(1), attempts: 0, ...before, state, dueAt };
    const id = `${messageId(1)}/attempt-${next.attempts + 1}/${state}`;
    return { before, next, event: { id, json: JSON.stringify({ id }) } };
  };
  const found = async (n = 1) => (await store().find([queued(n)]))[0]!;
  const ended = async (state: DeliveryState, mayReturn = false) => {
    await store().insert([queued(1, { priority: 2 })]);
    await store().claim([queued(1)], leaseOf('a'));
    await store().record([{ ...settlement(claimOf(1, 'a'), state), mayReturn }]);
  };

  it('find deliveries of their own account only', async () => {
    await store().insert([queued(1, { priority: 2, traceparent: '00-1-2-01' }), queued(2)]);
    expect(await store().find([queued(1), queued(3)])).toEqual([
      {
        accountId: 'default',
        messageId: messageId(1),
        state: 'queued',
        attempts: 0,
        dueAt: NOW,
        priority: 2,
        content: 'content 1',
        recipients: ['ada1@example.org'],
        requestedAttempt: 0,
        traceparent: '00-1-2-01',
      },
    ]);
    expect(await store().find([queued(1, { accountId: 'other' })])).toEqual([]);
  });

  it('end a waiting delivery once, with an event, and nobody can claim it', async () => {
    await store().insert([queued(1)]);
    const cancel = order(await found(), 'cancelled');
    expect(await store().order([cancel])).toEqual([true]);
    expect(await store().order([cancel])).toEqual([false]);
    expect(await store().unannounced(10)).toEqual([cancel.event]);
    expect(await dueIds()).toEqual([]);
    expect(await store().claim([queued(1)], leaseOf('a'))).toEqual([]);
    expect(await found()).toMatchObject({ state: 'cancelled', dueAt: null, content: null });
  });

  it('change nothing if the delivery was claimed or moved meanwhile, and record no event', async () => {
    await store().insert([queued(1)]);
    const before = await found();
    await store().claim([queued(1)], leaseOf('a'));
    expect(await store().order([order(before, 'cancelled')])).toEqual([false]);
    await store().record([{ ...settlement(claimOf(1, 'a'), 'deferred', NOW + MINUTE), event: null }]);
    const other = { ...order(null, 'cancelled'), next: { ...before, messageId: messageId(9), dueAt: null } };
    expect(await store().order([order(before, 'cancelled'), other])).toEqual([false, true]);
    expect(await store().unannounced(10)).toEqual([other.event]);
    expect(await found()).toMatchObject({ state: 'deferred', content: 'content 1', dueAt: NOW + MINUTE });
  });

  it('change nothing else, and nothing that another order has ended meanwhile', async () => {
    await ended('uncertain');
    await store().insert([queued(2), queued(3)]);
    const held = await found();
    expect(await store().order([order(held, 'cancelled'), order(await found(3), 'cancelled')])).toEqual([true, true]);
    expect(await dueIds()).toEqual([messageId(2)]);
    const late = order(held, 'deferred', NOW);
    expect(await store().order([late, order(await found(2), 'cancelled')])).toEqual([false, true]);
    expect(await found()).toMatchObject({ state: 'cancelled', attempts: 1, dueAt: null });
    expect(await dueIds()).toEqual([]);
  });

  it('change nothing if it was tried again, or is due at another time than found', async () => {
    await store().insert([queued(1)]);
    await store().claim([queued(1)], leaseOf('a'));
    await store().record([settlement(claimOf(1, 'a'), 'deferred', NOW)]);
    const before = await found();
    expect(await store().order([order(before, 'deferred', NOW + 1)])).toEqual([true]);
    expect(await store().order([order(before, 'cancelled')])).toEqual([false]);
    await store().claim([queued(1)], leaseOf('a', NOW + 1));
    await store().record([settlement(claimOf(1, 'a', 1), 'deferred', NOW)]);
    expect(await store().order([order(before, 'cancelled')])).toEqual([false]);
    expect(await found()).toMatchObject({ state: 'deferred', attempts: 2 });
  });

  it('are announced after what happened before', async () => {
    await store().insertAndClaim([queued(1), queued(2)], [queued(1), queued(2)], leaseOf('a'));
    const deferred = settlement(claimOf(1, 'a'), 'deferred', NOW);
    await store().record([deferred]);
    await store().record([settlement(claimOf(2, 'a'), 'sent')]);
    await store().order([order(await found(), 'cancelled')]);
    expect(await store().unannounced(1)).toEqual([deferred.event]);
  });

  it('are remembered for a delivery that has not arrived yet', async () => {
    const cancel = order(null, 'cancelled');
    expect(await store().order([cancel])).toEqual([true]);
    expect(await store().order([cancel])).toEqual([false]);
    expect(await store().insert([queued(1)])).toBe(0);
    expect(await dueIds()).toEqual([]);
    expect(await found()).toMatchObject({ state: 'cancelled', content: null });
    expect(await store().unannounced(10)).toEqual([cancel.event]);
    await store().insert([queued(2)]);
    const late = { ...order(null, 'cancelled'), next: { ...(await found(2)), state: 'cancelled' as const } };
    expect(await store().order([late])).toEqual([false]);
    expect(await dueIds()).toEqual([messageId(2)]);
  });

  it('wake an ended delivery that may return, with its content', async () => {
    await ended('bounced', true);
    const before = await found();
    expect(before).toMatchObject({ state: 'bounced', attempts: 1, content: 'content 1' });
    expect(await store().order([order(before, 'deferred', NOW)])).toEqual([true]);
    expect(await dueIds()).toEqual([messageId(1)]);
    // It is no content of an ended delivery any more.
    await store().sweep({ contents: NOW * 2, deliveries: null }, 10);
    expect(await store().claim([queued(1)], leaseOf('b'))).toMatchObject([{ attempts: 1, content: 'content 1' }]);
    expect(await store().record([settlement(claimOf(1, 'b', 1), 'sent')])).toEqual([true]);
    expect(await found()).toMatchObject({ state: 'sent', content: null });
  });

  it('note which attempt was asked for, which outlasts later attempts and orders, and the content', async () => {
    await ended('bounced', true);
    const { requestedAttempt: none, ...before } = await found();
    expect(none).toBe(0);
    const asked = order({ ...before, requestedAttempt: 2 }, 'deferred', NOW);
    expect(await store().order([asked])).toEqual([true]);
    await store().claim([queued(1)], leaseOf('b'));
    await store().record([settlement(claimOf(1, 'b', 1), 'deferred', NOW)]);
    expect(await found()).toMatchObject({ attempts: 2, requestedAttempt: 2 });
    const { requestedAttempt: _kept, ...waiting } = await found();
    expect(await store().order([order(waiting, 'failed')])).toEqual([true]);
    expect(await found()).toMatchObject({ state: 'failed', content: null, requestedAttempt: 2 });
  });

  it('find no content of a delivery that may not return', async () => {
    await ended('sent');
    expect(await found()).toMatchObject({ state: 'sent', content: null });
  });

  it('are carried out for one caller only', async () => {
    await store().insert([queued(1)]);
    const before = await found();
    const orders = ['cancelled', 'cancelled', 'deferred'].map((state) => order(before, state as DeliveryState, null));
    const done = await Promise.all(orders.map((one) => store().order([one])));
    expect(done.flat().filter(Boolean)).toHaveLength(1);
    expect(await store().unannounced(10)).toHaveLength(1);
  });
}
