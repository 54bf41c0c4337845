import { claimOf, leaseOf, messageId, MINUTE, NOW, queued, settlement } from '../testing/deliveries';
import type { DeliveryStore, Settlement } from './deliveries.store';
import type { Rest } from '../lifecycle/delivery';

const COPIES: Rest = { to: ['cc@x.org', 'bcc@x.org'], after: 'sent' };

/** What every adapter must do with deliveries whose later attempts go to some of their recipients. */
export function restContract(store: () => DeliveryStore): void {
  const found = async () => (await store().find([queued(1)]))[0]!;
  /** The settlement of attempt `number`; `deferred` is due again a minute later. */
  const ending = (number: number, state: 'deferred' | 'sent' | 'bounced', rest?: Rest | null): Settlement => {
    const dueAt = state === 'deferred' ? NOW + number * MINUTE : null;
    const one = settlement(claimOf(1, 'a', number - 1), state, dueAt);
    return { ...one, next: { ...one.next, ...(rest !== undefined && { rest }) } };
  };
  const claimed = (after = 0) => store().claim([queued(1)], leaseOf('a', NOW + after * MINUTE));

  it('are handed to the next claim, with the content', async () => {
    await store().insert([queued(1)]);
    expect((await claimed())[0]).not.toHaveProperty('rest');
    const left = ending(1, 'deferred', COPIES);
    expect(await store().record([left])).toEqual([true]);
    expect(await store().unannounced(10)).toEqual([left.event]);
    expect(await found()).toMatchObject({ state: 'deferred', rest: COPIES, content: 'content 1' });
    expect(await claimed(1)).toMatchObject([{ attempts: 1, rest: COPIES, content: 'content 1' }]);
  });

  it('are kept over a returned claim and a lease that is taken over', async () => {
    await store().insert([queued(1)]);
    await claimed();
    await store().record([ending(1, 'deferred', COPIES)]);
    await claimed(1);
    const one = ending(2, 'deferred');
    const back = { ...one, claim: { ...one.claim, claimedAt: NOW + MINUTE }, event: null };
    await store().record([{ ...back, next: { ...back.next, attempts: 1 } }]);
    expect(await claimed(2)).toMatchObject([{ attempts: 1, rest: COPIES }]);
    const taken = await store().takeOver(leaseOf('b', NOW + 9 * MINUTE), 10);
    expect(taken).toMatchObject([{ messageId: messageId(1), rest: COPIES, content: 'content 1' }]);
  });

  it('are known if the mail is inserted again while copies are due', async () => {
    await store().insert([queued(1)]);
    await claimed();
    await store().record([ending(1, 'deferred', COPIES)]);
    const again = await store().insertAndClaim([queued(1), queued(2)], [queued(1)], leaseOf('b', NOW + MINUTE));
    expect(again).toMatchObject({ added: 1, claimed: [{ messageId: messageId(1), attempts: 1, rest: COPIES }] });
  });

  it('can be narrowed and cleared; the content goes with the end', async () => {
    await store().insert([queued(1)]);
    await claimed();
    await store().record([ending(1, 'deferred', COPIES)]);
    await claimed(1);
    const fewer: Rest = { to: ['cc@x.org'], after: 'sent' };
    await store().record([ending(2, 'deferred', fewer)]);
    expect(await claimed(2)).toMatchObject([{ attempts: 2, rest: fewer }]);
    await store().record([ending(3, 'sent', null)]);
    expect(await found()).toMatchObject({ state: 'sent', content: null });
    expect(await found()).not.toHaveProperty('rest');
  });

  it('are not accepted from a fenced-out owner', async () => {
    await store().insert([queued(1)]);
    await claimed();
    await store().takeOver(leaseOf('b', NOW + 2 * MINUTE), 10);
    expect(await store().record([ending(1, 'deferred', COPIES)])).toEqual([false]);
    expect(await found()).not.toHaveProperty('rest');
  });

  it('are not swept while copies wait, and belong to one delivery only', async () => {
    await store().insert([queued(1), queued(2)]);
    await store().claim([queued(1), queued(2)], leaseOf('a'));
    const other = settlement(claimOf(2, 'a'), 'deferred', NOW + MINUTE);
    expect(await store().record([ending(1, 'deferred', COPIES), other])).toEqual([true, true]);
    const all = await store().find([queued(1), queued(2)]);
    expect(all.filter(({ rest }) => rest)).toHaveLength(1);
    await store().sweep({ contents: NOW * 2, deliveries: NOW * 2 }, 10);
    expect(await found()).toMatchObject({ content: 'content 1', rest: COPIES });
  });

  it('can be set by an order, are kept over the next attempts, and are cleared at the end', async () => {
    await store().insert([queued(1)]);
    await claimed();
    await store().record([ending(1, 'deferred')]);
    const before = await found();
    const rest: Rest = { to: ['ada@x.org', 'cc@x.org'], after: null };
    const event = { id: 'retried-1', json: '{}' };
    expect(await store().order([{ before, next: { ...before, dueAt: NOW, rest }, event }])).toEqual([true]);
    expect(await claimed()).toMatchObject([{ attempts: 1, rest, content: 'content 1' }]);
    await store().record([ending(2, 'deferred')]);
    expect(await claimed(2)).toMatchObject([{ attempts: 2, rest }]);
    await store().record([ending(3, 'sent', null)]);
    expect(await found()).not.toHaveProperty('rest');
  });

  it('can be changed by an order', async () => {
    await store().insert([queued(1)]);
    await claimed();
    await store().record([ending(1, 'deferred', { ...COPIES, after: 'bounced' })]);
    const before = await found();
    const rest: Rest = { to: ['ada@x.org', ...COPIES.to], after: null, unsure: true };
    const next = { ...before, dueAt: NOW, rest };
    const event = { id: 'retried', json: '{}' };
    expect(await store().order([{ before, next, event }])).toEqual([true]);
    expect(await claimed()).toMatchObject([{ rest }]);
  });
}
