import { OncePer } from '@lettermill/concurrency';
import type { Clock } from '@lettermill/runtime';
import type { HopFault } from '../smtp/smtp.fault';

/** While a fault lasts, it is logged again this often. */
const REPEAT_INTERVAL_MS = 10 * 60_000;
/** A fault that comes back after it was over is logged this often: a hop that cuts some connections would change twice a second. */
const RETURN_INTERVAL_MS = 60_000;

export interface WarningLogger {
  warn(text: string): void;
}

/** Called with undefined when the hop accepted a connection. */
export type HopListener = (fault: HopFault | undefined) => void;

/** Tells the operator that no mail leaves, why, and when that is over; never in words of the hop, which may contain names and addresses. */
export function hopFaultLogger(hop: string, logger: WarningLogger, now: Clock): HopListener {
  /** For each cause: two of them may take turns, as with a hop behind several addresses. */
  const once = new OncePer(REPEAT_INTERVAL_MS, now);
  /** Whether the last line says that no mail leaves. */
  let toldAway = false;
  return (fault) => {
    if (!fault) {
      // At the same level as the fault: an operator who saw the fault at LOG_LEVEL=warn waits for its end.
      if (toldAway) logger.warn(`the next hop ${hop} can be used again`);
      toldAway = false;
      return;
    }
    const { reason, message, reply } = fault;
    const cause = `${reason}. ${message}${reply ? ` It answered ${reply.code}.` : ''}`;
    if (!once.passes(cause, toldAway ? REPEAT_INTERVAL_MS : RETURN_INTERVAL_MS)) return;
    toldAway = true;
    logger.warn(
      `no mail leaves through the next hop ${hop}: ${cause} It is tried until it answers; waiting mail is sent then.`,
    );
  };
}
