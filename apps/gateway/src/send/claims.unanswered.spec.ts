import { newId } from '@lettermill/events';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { Claims } from './claims';
import type { ClaimLease } from './claims.lease';
import { LibsqlClaimStore } from './claims.store.libsql';
import type { UniqueName } from './claims.store';

const DAY_MS = 86_400_000;

/** Calls that were never answered, and what may come in their place (docs/send.md 12, 13). */
describe('after a call that was never answered', () => {
  let close: () => Promise<void>;
  let claims: Claims;
  let now: number;
  let requests: number;
  const granted: ClaimLease[] = [];
  beforeEach(async () => {
    const { database, close: closeDatabase } = await openDatabase();
    const store = new LibsqlClaimStore(database);
    await store.migrate();
    now = 1_800_000_000_000;
    requests = 0;
    claims = new Claims(store, () => now, { warn: () => undefined } as never);
    close = closeDatabase;
  });
  afterEach(async () => {
    for (const lease of granted.splice(0)) await lease.end();
    await close();
  });

  const ada = (value: string) => ({ kind: 'external' as const, value, contact: 'ada' });
  const bob = (value: string) => ({ kind: 'external' as const, value, contact: 'bob' });
  const key = (value: string) => ({ kind: 'key' as const, value });

  /** A call with these names, and `nameless` recipients without an external id. Each takes a second. */
  const call = async (fingerprint: string, names: Omit<UniqueName, 'messageId'>[], nameless = 0) => {
    now += 1_000;
    requests += 1;
    const withIds = names.map((name) => ({ ...name, messageId: name.kind === 'key' ? null : newId(now) }));
    const messageIds = withIds.flatMap(({ messageId }) => messageId ?? []);
    messageIds.push(...Array.from({ length: nameless }, () => newId(now)));
    return claims.take({ accountId: 'a', requestId: `r${requests}`, fingerprint, names: withIds, messageIds });
  };
  const take = async (...given: Parameters<typeof call>): Promise<ClaimLease> => {
    const outcome = await call(...given);
    if (!('granted' in outcome)) throw new Error(outcome.do);
    granted.push(outcome.granted);
    return outcome.granted;
  };

  it('its repeat has all ids first assigned, also after calls of another body', async () => {
    const first = await take('one', [ada('order-1')], 2);
    await claims.abandon(first);
    expect(await call('other', [ada('order-1')], 2)).toEqual({
      do: 'refuse-unanswered',
      requestIds: ['r1'],
      otherBody: false,
      taken: [{ value: 'order-1', messageId: first.claim.messageIds[0], unanswered: 'other recipients' }],
    });
    expect(await claims.messageIdsOf('a', ['r1'])).toEqual(first.claim.messageIds.toSorted());
    const repeated = await take('one', [ada('order-1')], 2);
    expect(repeated.claim.messageIds).toEqual(first.claim.messageIds);
  });

  it('its repeat has the ids first assigned after a call that took its place and was refused', async () => {
    const first = await take('one', [ada('order-1')]);
    await claims.abandon(first);
    await claims.release(await take('other', [ada('order-1')], 1));
    const repeated = await take('one', [ada('order-1')]);
    expect([repeated.claim.messageIds, repeated.claim.requestId]).toEqual([first.claim.messageIds, 'r1']);
  });

  it('a call that takes its place and is refused uses up neither its key nor its other ids', async () => {
    await claims.abandon(await take('one', [ada('order-1')]));
    await claims.release(await take('other', [ada('order-1'), bob('order-2'), key('K')]));
    expect(await call('corrected', [key('K')])).toHaveProperty('granted');
    expect(await call('another', [ada('order-2')])).toHaveProperty('granted');
  });

  it('so does its repeat with another key', async () => {
    const first = await take('one', [ada('order-1'), key('K1')], 1);
    await claims.abandon(first);
    await claims.release(await take('one', [ada('order-1'), key('K2')], 1));
    expect(await call('corrected', [key('K2')])).toHaveProperty('granted');
    const repeated = await take('one', [ada('order-1'), key('K1')], 1);
    expect(repeated.claim.messageIds).toEqual(first.claim.messageIds);
  });

  it('it is not continued after seven days, when its messages would be too old to be sent', async () => {
    await claims.abandon(await take('one', [ada('order-1')]));
    now += 7 * DAY_MS;
    expect(await call('one', [ada('order-1')])).toMatchObject({
      do: 'refuse-unanswered',
      requestIds: ['r1'],
      taken: [{ value: 'order-1', unanswered: 'too old' }],
    });
  });

  it('nor is it continued by its key alone then, though each repeat keeps that for another 48 hours', async () => {
    await claims.abandon(await take('one', [key('K')], 1));
    for (let days = 0; days < 7; days += 1) {
      now += DAY_MS - 1_000;
      await claims.release(await take('one', [key('K')], 1));
    }
    now += 1_000;
    expect(await call('one', [key('K')], 1)).toEqual({
      do: 'refuse-unanswered',
      requestIds: ['r1'],
      otherBody: false,
      taken: [],
    });
  });

  it('its key comes with another body: that one waits for it to end, and is never told that it was accepted', async () => {
    const first = await take('one', [key('K')], 1);
    const waiting = jest.spyOn(claims as unknown as { now(): number }, 'now').mockImplementation(() => (now += 1_000));
    expect(await call('other', [key('K')], 1)).toMatchObject({ do: 'wait' });
    waiting.mockRestore();
    await claims.abandon(first);
    expect(await call('other', [key('K')], 1)).toMatchObject({ do: 'refuse-unanswered', requestIds: ['r1'] });
    await claims.confirm(await take('one', [key('K')], 1), '{}');
    expect(await call('other', [key('K')], 1)).toEqual({ do: 'refuse-key' });
  });

  it('its key comes with another body, and is free as soon as it is refused', async () => {
    const first = await take('one', [key('K')], 1);
    const other = take('other', [key('K')], 1);
    await claims.release(first);
    expect((await other).claim.requestId).toBe('r2');
  });
});
