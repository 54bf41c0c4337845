import type { Clock } from '@lettermill/runtime';
import { unavailableFault, type HopFault } from '../smtp/smtp.fault';

/** While it lasts it is told again this often. */
const AGAIN_MS = 10 * 60_000;

/** What is told while it is still waited for. */
export const SILENT = unavailableFault('it has not accepted a connection yet');

export interface Teller {
  warn(text: string): void;
}

/** Undefined: the hop took a connection. */
export type HopListener = (fault: HopFault | undefined) => void;

/** Tells the operator that nothing leaves, why, and when that is over; not in words of the hop, which may name anybody. */
export function hopNews(hop: string, logger: Teller, now: Clock): HopListener {
  let told: { cause: string; at: number } | undefined;
  return (fault) => {
    if (!fault) {
      // As loud as the news that it ends: who hears of the one at LOG_LEVEL=warn waits for the other.
      if (told) logger.warn(`the next hop ${hop} can be used again`);
      told = undefined;
      return;
    }
    const { reason, message, reply } = fault;
    const cause = `${reason}. ${message}${reply ? ` It answered ${reply.code}.` : ''}`;
    const at = now();
    if (told?.cause === cause && at >= told.at && at < told.at + AGAIN_MS) return;
    told = { cause, at };
    logger.warn(
      `no mail leaves through the next hop ${hop}: ${cause} It is tried until it answers; waiting mail is sent then.`,
    );
  };
}
