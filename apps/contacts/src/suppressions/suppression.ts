import { matchedEmail, type CopiesLeft, type LostCopy, type ReceivedEvent } from '@lettermill/events';
import type { ReasonCode } from '@lettermill/problems';
import type { Suppression } from './suppressions.store';

/** The form in which addresses are stored and matched; the same as for contacts. */
export function suppressedForm(address: string): string {
  return matchedEmail(address);
}

/**
 * Suppressions that follow from an event: a refusal because of the mailbox itself suppresses its address (a copy's, too), and so does a
 * complaint.
 */
export function suppressionsOf(event: ReceivedEvent): Suppression[] {
  // Only events about a message have causes.
  const { account_id: accountId, message_id: messageId } = event.data as { account_id: string; message_id: string };
  return causesOf(event).map(({ address, reason, at }) => {
    return { accountId, address: suppressedForm(address), reason, messageId, at: Date.parse(at), eventId: event.id };
  });
}

interface Cause extends Pick<Suppression, 'address' | 'reason'> {
  at: string;
}

function causesOf({ type, data, time }: ReceivedEvent): Cause[] {
  switch (type) {
    case 'MessageComplained':
      return [{ address: data.address, reason: COMPLAINED, at: time }];
    case 'MessageReturned':
      return data.hard ? [{ address: data.address, reason: data.reason.code, at: time }] : [];
    case 'MessageBounced': {
      const { address, reason, hard, attempt, copies } = data;
      const own = hard ? [{ address, reason: reason.code, at: attempt.ended_at }] : [];
      return [...own, ...causesOfCopies(copies, attempt.ended_at)];
    }
    case 'MessageSent':
      return causesOfCopies(data.copies, data.attempt.ended_at);
    case 'MessageCopiesTried':
      return causesOfCopies(data.copies, data.attempt?.ended_at ?? time);
    default:
      return [];
  }
}

function causesOfCopies(copies: CopiesLeft | undefined, at: string): Cause[] {
  const refused = copies?.given_up.filter(({ hard }) => hard) ?? [];
  return refused.map(({ address, code }) => ({ address, reason: code, at }));
}

/** The reason if somebody used the unsubscribe link of a mail: only mails with such links are held back. */
export const UNSUBSCRIBED = 'unsubscribed';

/** The reason if somebody reported a mail as unwanted. */
export const COMPLAINED = 'complained';

/** The reason if a call suppressed the address, unless it gave another. */
export const MANUAL = 'manual';

/** A bounce has the code of its reason. */
export const STRENGTH_OF_BOUNCE = 2;

/**
 * An address shows its strongest cause. What somebody decided, the caller or the recipient, is kept behind it, and stands until it is
 * removed itself. A bounce is not kept behind a complaint: the next mail would bounce again.
 */
export const STRENGTHS: ReadonlyMap<string, number> = new Map([
  [COMPLAINED, 3],
  [MANUAL, 1],
  [UNSUBSCRIBED, 0],
]);

export function strengthOf(reason: string): number {
  return STRENGTHS.get(reason) ?? STRENGTH_OF_BOUNCE;
}

/** The `messageId` of a suppression that was caused by an API call. */
export const NO_MESSAGE = '';

/** The cause of a suppression, without the address. */
export function causeDetail({ reason, messageId, at }: Suppression): string {
  const when = new Date(at).toISOString();
  if (messageId === NO_MESSAGE) return `A call suppressed the address at ${when}: ${reason}.`;
  if (reason === COMPLAINED) return `The recipient reported message ${messageId} as unwanted at ${when}.`;
  if (reason === UNSUBSCRIBED) return `The recipient unsubscribed with the link in message ${messageId} at ${when}.`;
  return `The mailbox refused message ${messageId} permanently at ${when}.`;
}

/** A copy that does not go to its address, and why. */
export function lostCopy(suppression: Suppression): LostCopy {
  const code: ReasonCode = suppression.reason === UNSUBSCRIBED ? 'unsubscribed' : 'suppressed';
  return { address: suppression.address, code, detail: causeDetail(suppression) };
}
