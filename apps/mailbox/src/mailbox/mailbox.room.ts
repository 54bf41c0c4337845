import type { Entry } from './mailbox.scan';

/** The limits of the mailbox. */
export interface MailRoom {
  mails: number;
  bytes: number;
}

/** How many of the oldest mails must be removed to keep the limits; the newest is kept however large it is. */
export function tooMany(oldestFirst: Pick<Entry, 'summary'>[], { mails, bytes }: MailRoom): number {
  let kept = 0;
  let size = 0;
  for (const { summary } of oldestFirst.toReversed()) {
    size += summary.size;
    if (kept === mails || (kept > 0 && size > bytes)) break;
    kept += 1;
  }
  return oldestFirst.length - kept;
}
