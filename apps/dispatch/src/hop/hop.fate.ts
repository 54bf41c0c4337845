import type { SmtpConnection } from '../smtp/smtp.connection';
import { isOutOfStep, isRefusedForNow, wasNeverBegun, type Transaction } from '../smtp/smtp.transaction';

/**
 * What the end of a transaction says about its connection:
 * - `over`: the hop had closed it, or got out of step;
 * - `spent`: the hop takes no more mails on it;
 * - `turned away`: the hop let us in, and ended it at its first mail.
 */
export type ConnectionFate = 'over' | 'spent' | 'turned away';

export interface Circumstances {
  /** The connection was not opened for this mail. */
  wasUsed: boolean;
  /** How many mails it has carried. */
  mailsTaken: number;
  /** How many other connections are open. */
  others: number;
  /** The hop refuses mails on new connections, too: it means what it says. */
  isBusy: boolean;
}

/** Undefined if it says something about the mail, or nothing because we ended it. */
export function fateOf(
  transaction: Transaction,
  { wasUsed, mailsTaken, others, isBusy }: Circumstances,
): ConnectionFate | undefined {
  if (transaction.aborted) return undefined;
  const isEnded = wasNeverBegun(transaction);
  // If it was opened for another mail, which found a better way, the hop may have closed it because it was idle.
  const isFirst = mailsTaken === 0 && (!wasUsed || others > 0);
  if (isEnded && isFirst && !isOutOfStep(transaction)) return 'turned away';
  if (isEnded && wasUsed) return 'over';
  return mailsTaken > 0 && isRefusedForNow(transaction) && !isBusy ? 'spent' : undefined;
}

/** How many of these have carried mails. */
export function countCarrying(connections: Iterable<SmtpConnection>): number {
  return [...connections].filter(({ mailsTaken }) => mailsTaken > 0).length;
}
