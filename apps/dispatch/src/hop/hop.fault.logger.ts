import type { Clock } from '@lettermill/runtime';
import { unavailableFault, type HopFault } from '../smtp/smtp.fault';

/** While a fault lasts, it is logged again this often. */
const REPEAT_INTERVAL_MS = 10 * 60_000;

/** Reported while the connection is still awaited. */
export const SILENT_HOP_FAULT = unavailableFault('it has not accepted a connection yet');

export interface WarningLogger {
  warn(text: string): void;
}

/** Called with undefined when the hop accepted a connection. */
export type HopListener = (fault: HopFault | undefined) => void;

/** Tells the operator that no mail leaves, why, and when that is over; never in words of the hop, which may contain names and addresses. */
export function hopFaultLogger(hop: string, logger: WarningLogger, now: Clock): HopListener {
  /** When each cause was logged: two of them may take turns, as with a hop behind several addresses. */
  const logged = new Map<string, number>();
  return (fault) => {
    if (!fault) {
      // At the same level as the fault: an operator who saw the fault at LOG_LEVEL=warn waits for its end.
      if (logged.size > 0) logger.warn(`the next hop ${hop} can be used again`);
      logged.clear();
      return;
    }
    const { reason, message, reply } = fault;
    const cause = `${reason}. ${message}${reply ? ` It answered ${reply.code}.` : ''}`;
    const at = now();
    const before = logged.get(cause);
    if (before !== undefined && at >= before && at < before + REPEAT_INTERVAL_MS) return;
    logged.set(cause, at);
    logger.warn(
      `no mail leaves through the next hop ${hop}: ${cause} It is tried until it answers; waiting mail is sent then.`,
    );
  };
}
