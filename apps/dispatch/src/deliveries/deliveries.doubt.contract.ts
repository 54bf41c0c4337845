import { claimOf, leaseOf, MINUTE, NOW, queued, settlement } from '../testing/deliveries';
import type { DeliveryStore } from './deliveries.store';
import type { Delivery } from '../lifecycle/delivery';

/** What every adapter must do with deliveries that had an attempt of unknown outcome. */
export function doubtContract(store: () => DeliveryStore): void {
  const found = async (n = 1) => (await store().find([queued(n)]))[0]!;
  const claimed = (number: number) => store().claim([queued(1)], leaseOf('a', NOW + number * MINUTE));
  /** Ends attempt `number` in `state`; unless that is `failed`, the delivery is due again a minute later. */
  const ended = async (number: number, state: Delivery['state'], mayHaveArrived?: true) => {
    await claimed(number - 1);
    const dueAt = state === 'failed' ? null : NOW + number * MINUTE;
    const one = settlement(claimOf(1, 'a', number - 1), state, dueAt);
    return store().record([{ ...one, next: { ...one.next, ...(mayHaveArrived && { mayHaveArrived }) } }]);
  };
  const order = async (change: Partial<Delivery>) => {
    const before = await found();
    const event = { id: `order-${before.attempts}-${change.state}`, json: '{}' };
    return store().order([{ before, next: { ...before, ...change }, event }]);
  };

  it('is kept over later attempts and returned claims, until the end', async () => {
    await store().insert([queued(1), queued(2)]);
    expect(await found()).not.toHaveProperty('mayHaveArrived');
    expect(await ended(1, 'uncertain', true)).toEqual([true]);
    expect(await found()).toMatchObject({ state: 'uncertain', mayHaveArrived: true });
    await claimed(1);
    const back = settlement(claimOf(1, 'a', 1, NOW + MINUTE), 'deferred', NOW + MINUTE);
    await store().record([{ ...back, next: { ...back.next, attempts: 1 }, event: null }]);
    expect(await found()).toMatchObject({ state: 'deferred', attempts: 1, mayHaveArrived: true });
    for (const [number, state] of [
      [2, 'deferred'],
      [3, 'failed'],
    ] as const) {
      await ended(number, state);
      expect(await found()).toMatchObject({ state, attempts: number, mayHaveArrived: true });
    }
    expect(await found(2)).not.toHaveProperty('mayHaveArrived');
  });

  it('is handed to the next claim, and to whoever takes that over', async () => {
    await store().insert([queued(1)]);
    expect((await claimed(0))[0]).not.toHaveProperty('mayHaveArrived');
    await ended(1, 'uncertain', true);
    expect(await claimed(1)).toMatchObject([{ attempts: 1, mayHaveArrived: true }]);
    const taken = await store().takeOver(leaseOf('b', NOW + 9 * MINUTE), 10);
    expect(taken).toMatchObject([{ attempts: 1, mayHaveArrived: true }]);
  });

  it('is kept by an order that does not mention it, and cleared by one that does', async () => {
    await store().insert([queued(1)]);
    await ended(1, 'uncertain', true);
    expect(await order({ state: 'deferred', dueAt: NOW })).toEqual([true]);
    expect(await found()).toMatchObject({ state: 'deferred', mayHaveArrived: true });
    expect(await order({ state: 'bounced', dueAt: null, mayHaveArrived: null })).toEqual([true]);
    expect(await found()).toMatchObject({ state: 'bounced', content: null });
    expect(await found()).not.toHaveProperty('mayHaveArrived');
  });

  it('before a bounce that is known is kept for ever, beside another one since, and handed to each claim', async () => {
    await store().insert([queued(1)]);
    await ended(1, 'deferred');
    const before = { mayHaveArrivedBefore: true } as const;
    expect(await order({ state: 'deferred', dueAt: NOW, mayHaveArrived: null, ...before })).toEqual([true]);
    expect(await claimed(1)).toMatchObject([{ attempts: 1, ...before }]);
    expect((await store().takeOver(leaseOf('a', NOW + 9 * MINUTE), 10))[0]).toMatchObject(before);
    const one = settlement(claimOf(1, 'a', 1), 'uncertain', NOW);
    await store().record([{ ...one, next: { ...one.next, mayHaveArrived: true } }]);
    expect(await found()).toMatchObject({ mayHaveArrived: true, ...before });
    expect(await order({ state: 'bounced', dueAt: null, mayHaveArrived: null })).toEqual([true]);
    expect(await found()).toMatchObject(before);
    expect(await found()).not.toHaveProperty('mayHaveArrived');
  });

  it('can be set by an order on an uncertain delivery stored without it', async () => {
    await store().insert([queued(1)]);
    await ended(1, 'uncertain');
    expect(await order({ state: 'deferred', dueAt: NOW, mayHaveArrived: true })).toEqual([true]);
    expect(await found()).toMatchObject({ state: 'deferred', mayHaveArrived: true });
  });

  it('is not accepted from a fenced-out owner', async () => {
    await store().insert([queued(1)]);
    await claimed(0);
    await store().takeOver(leaseOf('b', NOW + 2 * MINUTE), 10);
    const late = settlement(claimOf(1, 'a'), 'uncertain', NOW + MINUTE);
    expect(await store().record([{ ...late, next: { ...late.next, mayHaveArrived: true } }])).toEqual([false]);
    expect(await found()).not.toHaveProperty('mayHaveArrived');
  });
}
