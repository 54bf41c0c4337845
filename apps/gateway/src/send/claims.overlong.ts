import { LRUCache } from 'lru-cache';
import { LEASE_MS } from './claims.lease';
import type { ClaimRef, HeldName } from './claims.store';

const MAX_WATCHED = 1_000;

/**
 * Leases that end later than any made now would: the clock of the gateway that holds them is ahead. A running request renews its lease three
 * times in `LEASE_MS`, so one that stays the same for that long is nobody's.
 */
export class OverlongLeases {
  /** When each was first seen, by request and end. */
  private readonly firstSeen = new LRUCache<string, number>({ max: MAX_WATCHED });

  /** Takes note of the leases of these names; returns those that nobody holds any more. */
  left(accountId: string, held: HeldName[], now: number): ClaimRef[] {
    const claimed = held.filter(({ state }) => state === 'claimed');
    const leases = new Map(claimed.map((name) => [`${accountId} ${name.requestId} ${name.leaseUntil}`, name]));
    return [...leases].flatMap(([key, { requestId, leaseUntil }]) => {
      const seen = this.firstSeen.get(key);
      // The clock may have been set back.
      if (seen !== undefined && now >= seen) return now - seen > LEASE_MS ? [{ accountId, requestId, leaseUntil }] : [];
      if (leaseUntil > now + LEASE_MS) this.firstSeen.set(key, now);
      return [];
    });
  }
}
