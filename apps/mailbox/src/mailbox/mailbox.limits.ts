import type { MailEntry } from './mailbox.scan';

/** The limits of the mailbox. */
export interface MailboxLimits {
  mails: number;
  bytes: number;
}

/** How many of the oldest mails must be removed to keep the limits; the newest is kept however large it is. */
export function countExcess(oldestFirst: Pick<MailEntry, 'summary'>[], { mails, bytes }: MailboxLimits): number {
  let kept = 0;
  let size = 0;
  for (const { summary } of oldestFirst.toReversed()) {
    size += summary.size;
    if (kept === mails || (kept > 0 && size > bytes)) break;
    kept += 1;
  }
  return oldestFirst.length - kept;
}
