import { claimOf, external, key, LATER } from '../testing/claims';
import type { ClaimStore } from './claims.store';

/** The part of the suite about names that go from a request that died to the next one. */
export function takeOverContract(store: () => ClaimStore): void {
  it('lets only one of two take over a claim whose lease has expired', async () => {
    await store().claim(claimOf('r1', [external('x', 'm1')], { messageIds: ['m1', 'm9'] }));
    const messageIds = ['m1', 'm8'];
    const next = claimOf('r2', [external('x', 'm1')], { leaseUntil: 9000, fingerprint: 'g', messageIds });
    const held = await store().claim(next);
    expect(held[0]!.nameless).toEqual(['m9']);
    expect(await store().takeOver(next, held, 1000)).toBe(false);
    expect(await store().claim(next)).toMatchObject([{ requestId: 'r1' }]);
    expect(await store().takeOver(next, held, 1001)).toBe(true);
    expect(await store().takeOver(claimOf('r3', [external('x', 'm1')]), held, 1001)).toBe(false);
    expect(await store().claim(next)).toEqual([]);
    const taken = await store().claim(claimOf('r4', [external('x', 'm4')]));
    expect(taken).toMatchObject([{ requestId: 'r2', fingerprint: 'g', nameless: ['m8'] }]);
  });

  it('takes over nothing that another request has claimed since it was found', async () => {
    const gone = claimOf('r1', [external('x', 'm1')]);
    await store().claim(gone);
    const held = await store().claim(claimOf('r2', gone.names));
    await store().release(gone);
    await store().claim(claimOf('r3', [external('x', 'm3')]));
    expect(await store().takeOver(claimOf('r2', gone.names, { leaseUntil: 9000 }), held, 1001)).toBe(false);
    expect(await store().claim(claimOf('r4', gone.names))).toMatchObject([{ requestId: 'r3', messageId: 'm3' }]);
  });

  it('takes over nothing that was confirmed at the last moment', async () => {
    const names = [external('x', 'm1'), key('k')];
    await store().claim(claimOf('r1', names));
    const held = await store().claim(claimOf('r2', names));
    await store().confirm('a', 'r1', '{"ack":1}', LATER);
    expect(await store().takeOver(claimOf('r2', names, { leaseUntil: 9000 }), held, 1001)).toBe(false);
    const after = await store().claim(claimOf('r3', names));
    expect(after.map(({ requestId, state }) => [requestId, state])).toEqual(Array(2).fill(['r1', 'confirmed']));
  });

  it('lets only one of many twins take over a request that died, with all its names or none', async () => {
    const names = [external('x', 'm1'), external('y', 'm2'), key('k')];
    await store().claim(claimOf('r1', names));
    const held = await store().claim(claimOf('r2', names));
    // Twins that take over go on under the first request's id: only the one that comes first may succeed.
    const twins = Array.from({ length: 20 }, () =>
      store().takeOver(claimOf('r1', names, { leaseUntil: 9000 }), held, 1001),
    );
    expect((await Promise.all(twins)).filter(Boolean)).toHaveLength(1);
    const moved = await store().claim(claimOf('r3', names));
    expect(moved.map(({ requestId, leaseUntil }) => [requestId, leaseUntil])).toEqual(Array(3).fill(['r1', 9000]));
  });

  it('keeps a name that was taken over even if another request has taken the others', async () => {
    const names = [external('x', 'm1'), external('y', 'm2')];
    await store().claim(claimOf('r1', names));
    const held = await store().claim(claimOf('r2', names));
    await store().takeOver(
      claimOf('r3', [names[1]!], { leaseUntil: 9000 }),
      [held.find(({ value }) => value === 'y')!],
      1001,
    );
    const claim = claimOf('r1', names, { leaseUntil: 9000 });
    const ofX = held.filter(({ value }) => value === 'x');
    expect(await store().takeOver(claim, ofX, 1001)).toBe(true);
    expect(await store().claim({ ...claim, tookOver: ofX })).toMatchObject([{ value: 'y', requestId: 'r3' }]);
    expect(await store().claim(claimOf('r4', [external('x', 'm4')]))).toMatchObject([{ messageId: 'm1' }]);
  });

  it('lets a twin take over a request whose ids are confirmed but whose key is not', async () => {
    const names = [external('x', 'm1'), key('k')];
    await store().claim(claimOf('r0', [external('w', 'm0')]));
    await store().confirm('a', 'r0', '{}', LATER);
    await store().claim(claimOf('r1', [names[0]!]));
    await store().confirm('a', 'r1', '{}', LATER);
    await store().claim(claimOf('r1', [names[1]!]));
    const held = await store().claim(claimOf('r2', names));
    expect(held.map(({ kind, state }) => [kind, state]).sort()).toEqual([
      ['external', 'confirmed'],
      ['key', 'claimed'],
    ]);
    const claim = claimOf('r1', names, { leaseUntil: 9000, tookOver: held });
    const ofKey = held.filter(({ kind }) => kind === 'key');
    expect(await store().takeOver(claim, ofKey, 1001)).toBe(true);
    expect(await store().claim(claim)).toEqual([]);
    expect(await store().taken('a', ['x'])).toEqual([{ value: 'x', messageId: 'm1' }]);
    expect(await store().renew(claim, 9500)).toBe(true);
    await store().confirm('a', 'r1', '{"ack":1}', LATER);
    const after = await store().claim(claimOf('r3', names));
    expect(after.map(({ state, ack }) => [state, ack])).toEqual(
      after.map(({ kind }) => ['confirmed', kind === 'key' ? '{"ack":1}' : null]),
    );
  });

  it('gives released names that were taken over back as they were, and frees the others', async () => {
    const dead = claimOf('r1', [external('x', 'm1')], { messageIds: ['m1', 'm9'], fingerprint: 'first' });
    await store().claim(dead);
    const names = [external('x', 'm1'), external('y', 'm2'), key('k')];
    const next = claimOf('r2', names, { leaseUntil: 9000, messageIds: ['m1', 'm2', 'm8'], fingerprint: 'second' });
    const held = await store().claim(next);
    expect(await store().takeOver(next, held, 1001)).toBe(true);
    const tookOver = { ...next, tookOver: held };
    expect(await store().claim(tookOver)).toEqual([]);
    await store().release(tookOver);
    expect(await store().claim(claimOf('r3', [external('y', 'm3'), key('k')]))).toEqual([]);
    expect(await store().claim(claimOf('r4', [external('x', 'm4')]))).toEqual([{ ...held[0]!, leaseUntil: 0 }]);
  });

  it('gives back no name that somebody else took over since, nor one that was confirmed', async () => {
    const dead = claimOf('r1', [external('x', 'm1'), external('y', 'm2')]);
    await store().claim(dead);
    const held = await store().claim(claimOf('r2', dead.names));
    const second = claimOf('r2', dead.names, { leaseUntil: 9000, tookOver: held });
    expect(await store().takeOver(second, held, 1001)).toBe(true);
    const ofX = (await store().claim(claimOf('r3', dead.names))).filter(({ value }) => value === 'x');
    expect(await store().takeOver(claimOf('r3', [dead.names[0]!], { leaseUntil: 20_000 }), ofX, 9001)).toBe(true);
    await store().confirm('a', 'r2', '{}', LATER);
    await store().release(second);
    const after = await store().claim(claimOf('r4', dead.names));
    expect(after.map(({ value, requestId, state }) => [value, requestId, state]).sort()).toEqual([
      ['x', 'r3', 'claimed'],
      ['y', 'r2', 'confirmed'],
    ]);
  });
}
