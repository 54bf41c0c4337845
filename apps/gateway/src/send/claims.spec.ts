import { newId } from '@lettermill/events';
import { StoreUnavailable } from '@lettermill/storage';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { Claims } from './claims';
import { RENEW_INTERVAL_MS, type ClaimLease } from './claims.lease';
import { LibsqlClaimStore } from './claims.store.libsql';

/** After this time a retry takes the place of a request that died (docs/send.md 13). */
const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;

describe('Claims', () => {
  let close: () => Promise<void>;
  let store: LibsqlClaimStore;
  let claims: Claims;
  let now: number;
  const warnings: unknown[] = [];
  beforeEach(async () => {
    const opened = await openDatabase();
    close = opened.close;
    store = new LibsqlClaimStore(opened.database);
    await store.migrate();
    now = 1_800_000_000_000;
    const logger = { warn: (...told: unknown[]) => void warnings.push(told) };
    claims = new Claims(store, () => now, logger as never);
  });
  afterEach(async () => {
    claims.onApplicationShutdown();
    jest.restoreAllMocks();
    await close();
  });

  /** Makes another request with a different body and the same external id. */
  let claimCount = 0;
  const take = async () => {
    claimCount += 1;
    const messageId = newId(now);
    return claims.take({
      accountId: 'a',
      requestId: `r${claimCount}`,
      fingerprint: `f${claimCount}`,
      messageIds: [messageId],
      names: [{ kind: 'external', value: 'order-1', messageId }],
    });
  };
  const takeGranted = async (): Promise<ClaimLease> => {
    const claimed = await take();
    if (!('granted' in claimed)) throw new Error(claimed.do);
    return claimed.granted;
  };
  /** The outcome after the wait for a twin: the clock that is waited by jumps ahead. */
  const takeRefused = async () => {
    const waited = jest.spyOn(claims as unknown as { now(): number }, 'now').mockImplementation(() => (now += 1_000));
    const claimed = await take();
    waited.mockRestore();
    return 'do' in claimed ? claimed.do : 'granted';
  };

  it('gives a name to nobody else while its request is in progress, however long that takes', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setTimeout', 'clearTimeout'] });
    try {
      const first = await takeGranted();
      for (let passed = 0; passed < 3 * LEASE_MS; passed += RENEW_INTERVAL_MS) {
        now += RENEW_INTERVAL_MS;
        const renewed = jest.spyOn(store, 'renew');
        jest.advanceTimersByTime(RENEW_INTERVAL_MS);
        await new Promise(setImmediate);
        await renewed.mock.results.at(-1)!.value;
        renewed.mockRestore();
      }
      expect(await takeRefused()).toBe('wait');
      expect(await first.isStillHeld()).toBe(true);
      await claims.confirm(first, '{}');
      expect(await takeRefused()).toBe('refuse-ids');
    } finally {
      jest.useRealTimers();
    }
  });

  it('reports an expired lease before anything is appended, and frees no names of the request that took over', async () => {
    const first = await takeGranted();
    now += LEASE_MS + 1;
    const second = await takeGranted();
    expect(await first.isStillHeld()).toBe(false);
    await claims.release(first);
    expect(await second.isStillHeld()).toBe(true);
    expect(second.claim.messageIds).toEqual(first.claim.messageIds);
    await second.end();
  });

  it('keeps the ids of a request that died, even if the one that took over releases its names', async () => {
    const first = await takeGranted();
    now += LEASE_MS + 1;
    await claims.release(await takeGranted());
    now += 1;
    const third = await takeGranted();
    expect(third.claim.messageIds).toEqual(first.claim.messageIds);
    await Promise.all([first, third].map((one) => one.end()));
  });

  it('leaves the names that it took over to the next request at once, if another got the rest of them', async () => {
    const wanting = (...values: string[]) => {
      claimCount += 1;
      const messageIds = values.map(() => newId(now));
      const names = values.map((value, at) => ({ kind: 'external' as const, value, messageId: messageIds[at]! }));
      return claims.take({
        accountId: 'a',
        requestId: `r${claimCount}`,
        fingerprint: `f${claimCount}`,
        messageIds,
        names,
      });
    };
    const grantedTo = async (taking: ReturnType<typeof wanting>) => ((await taking) as { granted: ClaimLease }).granted;
    const first = await grantedTo(wanting('order-1', 'order-2'));
    now += LEASE_MS + 1;
    const takeOver = store.takeOver.bind(store);
    jest.spyOn(store, 'takeOver').mockImplementationOnce(async (...given) => {
      await claims.confirm(await grantedTo(wanting('order-2')), '{}');
      return takeOver(...given);
    });
    expect(await wanting('order-1', 'order-2')).toMatchObject({ do: 'refuse-ids', taken: [{ value: 'order-2' }] });
    jest.spyOn(claims as unknown as { now(): number }, 'now').mockImplementation(() => (now += 1_000));
    const next = await grantedTo(wanting('order-1'));
    expect(next?.claim.messageIds).toEqual(first.claim.messageIds.slice(0, 1));
    await Promise.all([first, next].map((one) => one.end()));
  });

  it('frees names that were taken although the response of the store was lost', async () => {
    const claim = store.claim.bind(store);
    jest.spyOn(store, 'claim').mockImplementationOnce(async (...given) => {
      await claim(...given);
      throw new StoreUnavailable('the answer was lost');
    });
    await expect(take()).rejects.toThrow('the answer was lost');
    const next = await takeGranted();
    expect(next.claim.requestId).toBe(`r${claimCount}`);
    await claims.release(next);
  });

  it('leaves names that were taken over to the next request although the response of the store was lost', async () => {
    const first = await takeGranted();
    now += LEASE_MS + 1;
    const takeOver = store.takeOver.bind(store);
    jest.spyOn(store, 'takeOver').mockImplementationOnce(async (...given) => {
      await takeOver(...given);
      throw new StoreUnavailable('the answer was lost');
    });
    await expect(take()).rejects.toThrow('the answer was lost');
    const next = await takeGranted();
    expect(next.claim.messageIds).toEqual(first.claim.messageIds);
    await Promise.all([first, next].map((one) => one.end()));
  });

  it('takes over at once what a former process left behind, when the store is opened again', async () => {
    const first = await takeGranted();
    await store.migrate();
    const next = await takeGranted();
    expect(next.claim.messageIds).toEqual(first.claim.messageIds);
    await Promise.all([first, next].map((one) => one.end()));
  });

  it('answers a twin by the outcome of the first request, after waiting for it', async () => {
    const first = await takeGranted();
    const looked = jest.spyOn(store, 'claim');
    const twin = take();
    await looked.mock.results[0]!.value;
    await claims.confirm(first, '{}');
    expect(await twin).toMatchObject({ do: 'refuse-ids', taken: [{ messageId: first.claim.messageIds[0] }] });
  });

  it.each([
    ['as long as the first request has taken so far', 0, 4],
    ['the rest of the lease at most', LEASE_MS - 10_000, 6],
    ['at least a second', LEASE_MS - 3_000, 1],
  ])('tells a twin to retry after %s', async (_said, passed, retryAfterS) => {
    const first = await takeGranted();
    now += passed;
    // Every look at the clock takes a second: the third one ends the wait.
    jest.spyOn(claims as unknown as { now(): number }, 'now').mockImplementation(() => (now += 1_000));
    expect(await take()).toMatchObject({ do: 'wait', retryAfterS });
    await first.end();
  });

  it('does not let a twin wait longer because the clock is set back', async () => {
    const first = await takeGranted();
    const waited = jest.spyOn(store, 'claim').mockImplementationOnce((claim) => {
      now -= DAY_MS;
      return LibsqlClaimStore.prototype.claim.call(store, claim);
    });
    expect(await take()).toMatchObject({ do: 'wait' });
    expect(waited).toHaveBeenCalledTimes(1);
    await first.end();
  });

  it.each(['confirm', 'release', 'abandon'] as const)('stops renewing after %s', async (how) => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setTimeout', 'clearTimeout'] });
    try {
      const first = await takeGranted();
      expect(jest.getTimerCount()).toBe(1);
      await claims[how](first, '{}');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('asks the store about a lease again only after a while, or if the clock was set back', async () => {
    const renewing = jest.spyOn(store, 'renew');
    const first = await takeGranted();
    now += RENEW_INTERVAL_MS - 1;
    expect(await first.isStillHeld()).toBe(true);
    expect(renewing).not.toHaveBeenCalled();
    now += 1;
    expect(await first.isStillHeld()).toBe(true);
    // The clock was set back, so how much time has passed is not known.
    now -= DAY_MS;
    expect(await first.isStillHeld()).toBe(true);
    expect(renewing).toHaveBeenCalledTimes(2);
    await claims.release(first);
    await (await takeGranted()).end();
  });

  it.each(['and is asked for again', 'and the request ends'])(
    'loses no names if the response to a renewal is lost, %s',
    async (then) => {
      const renew = store.renew.bind(store);
      const first = await takeGranted();
      now += RENEW_INTERVAL_MS;
      jest.spyOn(store, 'renew').mockImplementationOnce(async (...given) => {
        await renew(...given);
        throw new StoreUnavailable('the answer was lost');
      });
      await expect(first.isStillHeld()).rejects.toThrow('the answer was lost');
      if (then === 'and is asked for again') expect(await first.isStillHeld()).toBe(true);
      await claims.release(first);
      await (await takeGranted()).end();
    },
  );

  it('frees the names of a refused request as soon as the store is available again', async () => {
    const away = jest.spyOn(store, 'release').mockRejectedValueOnce(new StoreUnavailable('away'));
    await claims.release(await takeGranted());
    while (away.mock.results.length < 2) await new Promise(setImmediate);
    await away.mock.results[1]!.value;
    const next = await takeGranted();
    expect(next.claim.requestId).toBe(`r${claimCount}`);
    await claims.release(next);
  });

  const takeKey = (requestId: string) =>
    claims.take({
      accountId: 'a',
      requestId,
      fingerprint: 'f',
      messageIds: [newId(now)],
      names: [{ kind: 'key', value: 'k', messageId: null }],
    });

  it('keeps a key that never got an answer for 48 hours', async () => {
    const first = await takeKey('r1');
    if ('granted' in first) await first.granted.end();
    expect(await store.sweep(now + 2 * DAY_MS)).toBe(0);
    expect(await store.sweep(now + 2 * DAY_MS + 1)).toBe(1);
  });

  it('remembers the answer of a key for 48 hours', async () => {
    const first = await takeKey('r1');
    now += RENEW_INTERVAL_MS;
    if ('granted' in first) await claims.confirm(first.granted, '{}');
    await store.sweep(now + 2 * DAY_MS);
    expect(await takeKey('r2')).toEqual({ do: 'replay', ack: '{}', requestId: 'r1' });
    await store.sweep(now + 2 * DAY_MS + 1);
    const next = await takeKey('r3');
    expect(next).toHaveProperty('granted');
    if ('granted' in next) await next.granted.end();
  });

  it('logs that names cannot be confirmed', async () => {
    jest.spyOn(store, 'confirm').mockRejectedValue(new Error('a defect'));
    await claims.confirm(await takeGranted(), '{}');
    await new Promise(setImmediate);
    expect(warnings).toEqual([
      [{ err: expect.objectContaining({ message: 'a defect' }) as unknown }, expect.any(String)],
    ]);
  });
});
