import { matchedEmail, type Event, type Received } from '@lettermill/events';
import type { Suppression } from './suppressions.store';

/** Addresses are matched as the contacts' are. */
export function suppressedForm(address: string): string {
  return matchedEmail(address);
}

/** A bounce whose cause is the mailbox itself suppresses its address, and so does a complaint; any other event does not. */
export function suppressionOf(event: Received): Suppression | undefined {
  const cause = causeOf(event);
  if (!cause) return undefined;
  const { account_id, message_id, address } = cause.data;
  return {
    accountId: account_id,
    address: suppressedForm(address),
    reason: cause.reason,
    messageId: message_id,
    at: cause.at,
  };
}

type About = Pick<Event<'MessageComplained'>['data'], 'account_id' | 'message_id' | 'address'>;

function causeOf({ type, data, time }: Received): { data: About; reason: string; at: number } | undefined {
  if (type === 'MessageComplained') return { data, reason: 'complained', at: Date.parse(time) };
  if (type === 'MessageReturned' && data.hard) return { data, reason: data.reason.code, at: Date.parse(time) };
  if (type !== 'MessageBounced' || !data.hard) return undefined;
  return { data, reason: data.reason.code, at: Date.parse(data.attempt.ended_at) };
}

/** Somebody used the link of a mail: only mails that have such links are held back. */
export const UNSUBSCRIBED = 'unsubscribed';

/** Where a suppression came from, without the address. */
export function originOf({ reason, messageId, at }: Suppression): string {
  const when = new Date(at).toISOString();
  if (reason === 'complained') return `The recipient reported message ${messageId} as unwanted at ${when}.`;
  if (reason === UNSUBSCRIBED) return `The recipient unsubscribed by message ${messageId} at ${when}.`;
  return `The mailbox refused message ${messageId} for good at ${when}.`;
}
