import type { Claim, UniqueName } from '../send/claims.store';

/** Ahead of every real clock, so that a server that removes by its own clock does not interfere. */
export const LATER = Date.UTC(2200, 0);

export const key = (value: string): UniqueName => ({ kind: 'key', value, messageId: null });
export const external = (value: string, messageId: string): UniqueName => ({ kind: 'external', value, messageId });

export function claimOf(requestId: string, names: UniqueName[], more: Partial<Claim> = {}): Claim {
  const messageIds = names.flatMap(({ messageId }) => messageId ?? []);
  return {
    accountId: 'a',
    requestId,
    names,
    messageIds,
    fingerprint: 'f',
    leaseUntil: 1000,
    keyExpiresAt: LATER,
    ...more,
  };
}
