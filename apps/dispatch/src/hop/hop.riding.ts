import { isOutOfStep, type Transaction } from '../smtp/smtp.transaction';

/** After a hop reacted badly to a ride, no mail rides for this long. */
const RETRY_DELAY_MS = 10 * 60_000;

/**
 * Whether mails may ride, that is, be sent behind the final dot of the previous mail, in the same write (RFC 2920 section 3.1). Even in
 * front of a server that can handle this (`Offer.rides`), there may be a device that refuses what comes there, drops it or hangs up, to
 * keep mails from smuggling commands in. So one mail finds out, and others ride once it was answered. Times are milliseconds; times in the
 * future, after the clock was set back, are ignored.
 */
export interface RideState {
  readonly hop: 'unknown' | 'asked' | 'willing';
  readonly refusedAt: number;
}

export const NO_RIDE_YET: RideState = { hop: 'unknown', refusedAt: -Infinity };

export function mayRide({ hop, refusedAt }: RideState, now: number): boolean {
  if (hop === 'willing') return true;
  return hop === 'unknown' && !(now >= refusedAt && now - refusedAt < RETRY_DELAY_MS);
}

/** A mail begins to ride. */
export function beginRide(state: RideState): RideState {
  return state.hop === 'unknown' ? { ...state, hop: 'asked' } : state;
}

/** Learns from a ride; `transaction` is undefined if the connection ended with the previous mail. */
export function endRide(state: RideState, transaction: Transaction | undefined, now: number): RideState {
  if (transaction?.aborted) return state.hop === 'asked' ? { ...state, hop: 'unknown' } : state;
  if (transaction && isOutOfStep(transaction)) return { hop: 'unknown', refusedAt: now };
  if (transaction && wasHeard(transaction)) return { ...state, hop: 'willing' };
  // Connections break for other reasons, too: a hop that was willing is asked again at once.
  return { hop: 'unknown', refusedAt: state.hop === 'willing' ? state.refusedAt : now };
}

function wasHeard({ response, answers }: Transaction): boolean {
  return response !== undefined || answers.length > 0;
}
