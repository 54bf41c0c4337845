import type { Received } from '@lettermill/events';
import type { Suppression } from './suppressions.store';

/** Addresses are matched in lower case as a whole, as the contacts' are. */
export function suppressedForm(address: string): string {
  return address.toLowerCase();
}

/** A bounce whose cause is the mailbox itself suppresses its address; any other event does not. */
export function suppressionOf(event: Received): Suppression | undefined {
  if (event.type !== 'MessageBounced' || !event.data.hard) return undefined;
  const { account_id, message_id, address, reason, attempt } = event.data;
  return {
    accountId: account_id,
    address: suppressedForm(address),
    reason: reason.code,
    messageId: message_id,
    at: Date.parse(attempt.ended_at),
  };
}

/** Where a suppression came from, without the address. */
export function originOf({ messageId, at }: Suppression): string {
  return `The mailbox refused message ${messageId} for good at ${new Date(at).toISOString()}.`;
}
