import { outOfStep, type Transaction } from '../smtp/smtp.transaction';

/** After a hop reacted badly to a ride, no mail rides for this long. */
const REST_MS = 10 * 60_000;

/**
 * Whether mails may ride, that is, be sent behind the final dot of the previous mail, in the same write (RFC 2920 section 3.1). Even in
 * front of a server that can handle this (`Offer.rides`), there may be a device that refuses what comes there, drops it or hangs up, to
 * keep mails from smuggling commands in. So one mail finds out, and others ride once it was answered. Times are milliseconds; times in the
 * future, after the clock was set back, are ignored.
 */
export interface Riding {
  readonly hop: 'unknown' | 'asked' | 'willing';
  readonly refusedAt: number;
}

export const NOBODY_RODE: Riding = { hop: 'unknown', refusedAt: -Infinity };

export function mayRide({ hop, refusedAt }: Riding, now: number): boolean {
  if (hop === 'willing') return true;
  return hop === 'unknown' && !(now >= refusedAt && now - refusedAt < REST_MS);
}

/** A mail begins to ride. */
export function rides(riding: Riding): Riding {
  return riding.hop === 'unknown' ? { ...riding, hop: 'asked' } : riding;
}

/** Learns from a ride; `transaction` is undefined if the connection ended with the previous mail. */
export function rode(riding: Riding, transaction: Transaction | undefined, now: number): Riding {
  if (transaction?.aborted) return riding.hop === 'asked' ? { ...riding, hop: 'unknown' } : riding;
  if (transaction && outOfStep(transaction)) return { hop: 'unknown', refusedAt: now };
  if (transaction && wasHeard(transaction)) return { ...riding, hop: 'willing' };
  // Connections break for other reasons, too: a hop that was willing is asked again at once.
  return { hop: 'unknown', refusedAt: riding.hop === 'willing' ? riding.refusedAt : now };
}

function wasHeard({ response, answers }: Transaction): boolean {
  return response !== undefined || answers.length > 0;
}
