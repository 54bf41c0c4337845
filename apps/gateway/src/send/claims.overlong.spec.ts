import { newId } from '@lettermill/events';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { Claims } from './claims';
import { LEASE_MS } from './claims.lease';
import type { Claim, ClaimStore } from './claims.store';
import { LibsqlClaimStore } from './claims.store.libsql';

const AHEAD_MS = 600_000;
const STARTED = 1_800_000_000_000;
const FIRST_ID = newId(STARTED);

describe('a claim of a gateway whose clock is ahead', () => {
  let close: () => Promise<void>;
  let store: ClaimStore;
  let claims: Claims;
  let now: number;
  let first: Claim;

  const claimOf = (requestId: string, messageId: string, leaseUntil: number): Claim => ({
    accountId: 'a',
    requestId,
    fingerprint: requestId,
    messageIds: [messageId],
    names: [{ kind: 'external', value: 'order-1', messageId }],
    leaseUntil,
    keyExpiresAt: Number.MAX_SAFE_INTEGER,
  });
  /** What a repeat gets after its wait, which lasts two seconds. */
  const repeat = async () => {
    const started = now;
    jest.spyOn(claims as unknown as { now(): number }, 'now').mockImplementation(() => (now += 1_000));
    const claimed = await claims.take(claimOf('second', 'm2', 0));
    now = started + 3_000;
    if (!('granted' in claimed)) return claimed.do;
    await claims.release(claimed.granted);
    return claimed.granted.claim.messageIds;
  };

  beforeEach(async () => {
    const opened = await openDatabase();
    close = opened.close;
    const made = new LibsqlClaimStore(opened.database);
    await made.migrate();
    store = made;
    now = STARTED;
    claims = new Claims(store, () => now, { warn: () => undefined } as never);
    first = claimOf('first', FIRST_ID, now + AHEAD_MS + LEASE_MS);
    await store.claim(first);
  });
  afterEach(async () => {
    claims.onApplicationShutdown();
    jest.restoreAllMocks();
    await close();
  });

  it('is taken over once it was not renewed for as long as a lease lasts, counted from the first repeat', async () => {
    expect(await repeat()).toBe('wait');
    now += LEASE_MS - 5_000;
    expect(await repeat()).toBe('wait');
    now += 5_000;
    expect(await repeat()).toEqual([FIRST_ID]);
  });

  it('is kept while it is renewed', async () => {
    for (let passed = 0; passed < 3 * LEASE_MS; passed += 10_000) {
      expect(await repeat()).toBe('wait');
      now += 7_000;
      const leaseUntil = now + AHEAD_MS + LEASE_MS;
      expect(await store.renew(first, leaseUntil)).toBe(true);
      first = { ...first, leaseUntil };
    }
  });

  it('is watched anew if the own clock was set back', async () => {
    expect(await repeat()).toBe('wait');
    now -= 3_600_000;
    expect(await repeat()).toBe('wait');
    now += LEASE_MS - 5_000;
    expect(await repeat()).toBe('wait');
    now += 5_000;
    expect(await repeat()).toEqual([FIRST_ID]);
  });
});
