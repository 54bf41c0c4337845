import { timeOfId } from '@lettermill/events';
import type { Report } from './report';

/** A report is as old as it says, but no older than its message and not from the future: clocks of others go wrong. */
export function toldAt({ writtenAt }: Pick<Report, 'writtenAt'>, messageId: string, now: number): number {
  return Math.max(Math.min(writtenAt ?? now, now), Math.min(timeOfId(messageId), now));
}
