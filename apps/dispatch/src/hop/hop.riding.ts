import { outOfStep, type Transaction } from '../smtp/smtp.transaction';

/** After a hop took it amiss, no mail rides for so long. */
const REST_MS = 10 * 60_000;

/**
 * Whether mails may ride: go out behind the final dot of the mail before them, in the same write (RFC 2920 section 3.1). Also before a
 * server that bears it (`Offer.rides`) something may stand that refuses what comes there, drops it or hangs up, lest a mail smuggle
 * commands in. So one mail finds out, and the others ride once it was answered. Times are milliseconds; what lies in the future, after
 * the clock was set back, is forgotten.
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

/** One sets out. */
export function rides(riding: Riding): Riding {
  return riding.hop === 'unknown' ? { ...riding, hop: 'asked' } : riding;
}

/** What came of one that rode; undefined where the connection ended with the mail before it. */
export function rode(riding: Riding, transaction: Transaction | undefined, now: number): Riding {
  if (transaction?.aborted) return riding.hop === 'asked' ? { ...riding, hop: 'unknown' } : riding;
  if (transaction && outOfStep(transaction)) return { hop: 'unknown', refusedAt: now };
  if (transaction && wasHeard(transaction)) return { ...riding, hop: 'willing' };
  // Connections break for other reasons too: a hop that was willing is asked again.
  return { hop: 'unknown', refusedAt: riding.hop === 'willing' ? riding.refusedAt : now };
}

function wasHeard({ response, answers }: Transaction): boolean {
  return response !== undefined || answers.length > 0;
}
