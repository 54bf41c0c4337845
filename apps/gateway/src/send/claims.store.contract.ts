import { claimOf, external, key, LATER } from '../testing/claims';
import type { ClaimStore } from './claims.store';
import { takeOverContract } from './claims.takeover.contract';

/** The suite that every adapter of the claim store runs. */
export function claimStoreContract(make: () => Promise<{ store: ClaimStore; close(): Promise<void> }>): void {
  let harness: Awaited<ReturnType<typeof make>>;
  let store: ClaimStore;
  beforeEach(async () => {
    harness = await make();
    store = harness.store;
    await store.migrate();
  });
  afterEach(() => harness.close());

  it('gives a name to only one of concurrent twins', async () => {
    const claims = Array.from({ length: 20 }, (_, i) => claimOf(`r${i}`, [external('x', `m${i}`)]));
    const held = await Promise.all(claims.map((claim) => store.claim(claim)));
    expect(held.filter((names) => names.length === 0)).toHaveLength(1);
  });

  it('gives all names to one of concurrent requests that want the same ones, whatever their order', async () => {
    const names = Array.from({ length: 9 }, (_, i) => key(`k${i}`));
    for (let round = 0; round < 5; round += 1) {
      const claims = Array.from({ length: 10 }, (_, i) =>
        claimOf(`r${i}`, i % 2 === 0 ? names : names.toReversed(), { accountId: `a${round}` }),
      );
      const held = await Promise.all(claims.map((claim) => store.claim(claim)));
      expect(held.filter((others) => others.length === 0)).toHaveLength(1);
    }
  });

  it('takes all names or none', async () => {
    await store.claim(claimOf('r1', [external('x', 'm1')]));
    const held = await store.claim(claimOf('r2', [external('w', 'm2'), external('x', 'm3'), key('k')]));
    expect(held).toMatchObject([{ value: 'x', messageId: 'm1', requestId: 'r1', state: 'claimed' }]);
    expect(await store.claim(claimOf('r3', [external('w', 'm4'), key('k')]))).toEqual([]);
  });

  it('keeps the contact of the message that has an external id', async () => {
    await store.claim(claimOf('r1', [{ ...external('x', 'm1'), contact: 'ada' }, external('y', 'm2'), key('k')]));
    const held = await store.claim(claimOf('r2', [external('x', 'm3'), external('y', 'm4'), key('k')]));
    expect(held.map(({ value, contact }) => [value, contact]).sort()).toEqual([
      ['k', undefined],
      ['x', 'ada'],
      ['y', undefined],
    ]);
  });

  it('keeps accounts and kinds apart', async () => {
    await store.claim(claimOf('r1', [external('x', 'm1')]));
    expect(await store.claim(claimOf('r2', [external('x', 'm2')], { accountId: 'b' }))).toEqual([]);
    expect(await store.claim(claimOf('r3', [key('x')]))).toEqual([]);
  });

  it('keeps a confirmed external id for ever and returns the message that has it', async () => {
    await store.claim(claimOf('r1', [external('x', 'm1'), key('k')]));
    await store.confirm('a', 'r1', '{"ack":1}', LATER);
    expect(await store.sweep(LATER + 1)).toBe(1);
    await store.release(claimOf('r1', []));
    const held = await store.claim(claimOf('r2', [external('x', 'm2'), key('k')]));
    expect(held).toMatchObject([{ kind: 'external', state: 'confirmed', messageId: 'm1', ack: null }]);
  });

  it('returns which external ids are confirmed in this account, and no keys', async () => {
    await store.claim(claimOf('r1', [external('x', 'm1'), external('y', 'm2'), key('k')]));
    expect(await store.taken('a', ['x', 'y'])).toEqual([]);
    await store.confirm('a', 'r1', '{}', LATER);
    const taken = await store.taken('a', ['y', 'k', 'z', 'x', 'y']);
    expect(taken.sort((one, other) => (one.value < other.value ? -1 : 1))).toEqual([
      { value: 'x', messageId: 'm1' },
      { value: 'y', messageId: 'm2' },
    ]);
    expect(await store.taken('b', ['x'])).toEqual([]);
  });

  it('returns all message ids of requests, in whatever state, from any of their names', async () => {
    await store.claim(
      claimOf('r1', [external('x', 'm1'), external('y', 'm2'), key('k')], { messageIds: ['m9', 'm1', 'm2'] }),
    );
    await store.claim(claimOf('r2', [external('z', 'm3')]));
    await store.claim(claimOf('r3', [key('other')], { messageIds: ['m8', 'm4'] }));
    await store.confirm('a', 'r2', '{}', LATER);
    expect(await store.messageIdsOf('a', ['r2', 'r1'])).toEqual(['m1', 'm2', 'm3', 'm9']);
    expect(await store.messageIdsOf('a', ['r3'])).toEqual(['m4', 'm8']);
    expect(await store.messageIdsOf('b', ['r1'])).toEqual([]);
  });

  it('returns the first 202 with a confirmed key until it expires', async () => {
    await store.claim(claimOf('r1', [key('k')]));
    await store.confirm('a', 'r1', '{"ack":1}', LATER);
    expect(await store.sweep(LATER)).toBe(0);
    expect(await store.claim(claimOf('r2', [key('k')]))).toMatchObject([{ ack: '{"ack":1}', fingerprint: 'f' }]);
    expect(await store.sweep(LATER + 1)).toBe(1);
    expect(await store.claim(claimOf('r3', [key('k')]))).toEqual([]);
  });

  it('keeps a confirmed key as long as the confirmation says, not the claim', async () => {
    await store.claim(claimOf('r1', [key('k')]));
    await store.confirm('a', 'r1', '{}', LATER + 10);
    expect([await store.sweep(LATER + 1), await store.sweep(LATER + 11)]).toEqual([0, 1]);
  });

  it('frees released names', async () => {
    await store.claim(claimOf('r1', [external('x', 'm1'), key('k')]));
    await store.release(claimOf('r1', []));
    expect(await store.claim(claimOf('r2', [external('x', 'm2'), key('k')]))).toEqual([]);
  });

  it('frees no names and ends no lease of a request that was taken over', async () => {
    const slow = claimOf('r1', [external('x', 'm1'), key('k')]);
    await store.claim(slow);
    const held = await store.claim(claimOf('r2', slow.names));
    await store.takeOver({ ...slow, leaseUntil: 9000 }, held, 1001);
    await store.release(slow);
    await store.abandon(slow);
    const now = await store.claim(claimOf('r3', slow.names));
    expect(now.map(({ requestId, leaseUntil }) => [requestId, leaseUntil])).toEqual(Array(2).fill(['r1', 9000]));
  });

  it('renews a claim, which cannot be taken over meanwhile', async () => {
    const claim = claimOf('r1', [external('x', 'm1'), key('k')]);
    await store.claim(claim);
    expect(await store.renew(claim, 5000)).toBe(true);
    const held = await store.claim(claimOf('r2', claim.names));
    expect(held.map(({ leaseUntil }) => leaseUntil)).toEqual([5000, 5000]);
    expect(await store.takeOver(claimOf('r2', claim.names), held, 5000)).toBe(false);
    expect(await store.renew(claim, 9000)).toBe(false);
    expect(await store.renew({ ...claim, accountId: 'b', leaseUntil: 5000 }, 9000)).toBe(false);
    expect(await store.renew({ ...claim, leaseUntil: 5000 }, 9000)).toBe(true);
  });

  it('does not renew a claim if one of its names was taken over, released or confirmed', async () => {
    const slow = claimOf('r1', [external('x', 'm1'), key('k')]);
    await store.claim(slow);
    const held = await store.claim(claimOf('r2', slow.names));
    const other = claimOf('r2', [slow.names[0]!], { leaseUntil: 9000 });
    await store.takeOver(
      other,
      held.filter(({ kind }) => kind === 'external'),
      1001,
    );
    expect(await store.renew(slow, 9000)).toBe(false);
    await store.confirm('a', 'r2', '{}', LATER);
    expect(await store.renew(other, 9001)).toBe(false);
    const gone = claimOf('r3', [key('gone')]);
    await store.claim(gone);
    expect(await store.renew(gone, gone.leaseUntil)).toBe(true);
    await store.release(gone);
    expect(await store.renew(gone, 9000)).toBe(false);
  });

  it('ends the lease of an abandoned request, and keeps its names and ids', async () => {
    const claim = claimOf('r1', [external('x', 'm1'), key('k')], { messageIds: ['m1', 'm2'] });
    await store.claim(claim);
    await store.abandon({ ...claim, accountId: 'b' });
    const next = claimOf('r2', claim.names, { leaseUntil: 9000 });
    expect((await store.claim(next)).map(({ leaseUntil }) => leaseUntil)).toEqual([1000, 1000]);
    await store.abandon(claim);
    const held = await store.claim(next);
    // Ended by the clock of every gateway, also if that of the one that abandoned it is ahead.
    expect(held.map(({ nameless, leaseUntil }) => [nameless, leaseUntil])).toEqual(Array(2).fill([['m2'], 0]));
    expect(held.find(({ kind }) => kind === 'external')).toMatchObject({ messageId: 'm1' });
    expect(await store.takeOver(next, held, 1)).toBe(true);
  });

  it('does not abandon what was confirmed', async () => {
    const claim = claimOf('r1', [external('x', 'm1')]);
    await store.claim(claim);
    await store.confirm('a', 'r1', '{}', LATER);
    await store.abandon(claim);
    expect(await store.claim(claimOf('r2', claim.names))).toMatchObject([{ state: 'confirmed', leaseUntil: 1000 }]);
  });

  it('sweeps unconfirmed keys once they expire, and external ids never', async () => {
    await store.claim(claimOf('r1', [external('x', 'm1'), key('k')]));
    const taken = claimOf('r2', [key('later')]);
    await store.claim(taken);
    const held = await store.claim(claimOf('r3', taken.names));
    await store.takeOver({ ...taken, leaseUntil: 6000, keyExpiresAt: LATER + 10 }, held, 1001);
    expect(await store.sweep(LATER)).toBe(0);
    expect(await store.sweep(LATER + 1)).toBe(1);
    expect(await store.claim(claimOf('r4', [external('x', 'm4'), key('k')]))).toMatchObject([{ value: 'x' }]);
    expect(await store.sweep(LATER + 10)).toBe(0);
    expect(await store.sweep(LATER + 11)).toBe(1);
  });

  it('sweeps any number of keys', async () => {
    const keys = Array.from({ length: 1001 }, (_, i) => key(`k${i}`));
    await store.claim(claimOf('r1', keys, { keyExpiresAt: LATER }));
    expect([await store.sweep(LATER), await store.sweep(LATER + 1), await store.sweep(LATER + 1)]).toEqual([
      0, 1001, 0,
    ]);
    expect(await store.claim(claimOf('r2', keys))).toEqual([]);
  });

  takeOverContract(() => store);
}
