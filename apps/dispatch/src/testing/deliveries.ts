import type { Claim, Lease, NewDelivery, Settlement } from '../deliveries/deliveries.store';
import type { Delivery, DeliveryState } from '../lifecycle/delivery';

export const NOW = 1_800_000_000_000;
export const MINUTE = 60_000;

export const messageId = (n: number): string => `m${String(n).padStart(17, '0')}`;
export const queued = (n: number, over: Partial<NewDelivery> = {}): NewDelivery => ({
  accountId: 'default',
  messageId: messageId(n),
  priority: 1,
  domain: 'example.com',
  dueAt: NOW,
  expiresAt: null,
  content: `content ${n}`,
  recipients: [`ada${n}@example.org`],
  ...over,
});
export const leaseOf = (owner: string, now = NOW): Lease => ({ owner, now, until: now + MINUTE });
export const claimOf = (n: number, owner: string, attempts = 0, claimedAt = NOW): Claim => ({
  accountId: 'default',
  messageId: messageId(n),
  owner,
  attempts,
  claimedAt,
});
export const settlement = (claim: Claim, state: DeliveryState, dueAt: number | null = null): Settlement => {
  const { accountId, messageId: id } = claim;
  const next: Delivery = { accountId, messageId: id, state, attempts: claim.attempts + 1, dueAt };
  const eventId = `${id}/attempt-${next.attempts}/${state}`;
  return { claim, next, event: { id: eventId, json: JSON.stringify({ id: eventId }) } };
};
