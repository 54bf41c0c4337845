import { timeOfId } from '@lettermill/events';
import type { Report } from './report';

/** The time of a report is the one it states, but not before its message or in the future: clocks elsewhere may be wrong. */
export function reportTime({ writtenAt }: Pick<Report, 'writtenAt'>, messageId: string, now: number): number {
  return Math.max(Math.min(writtenAt ?? now, now), Math.min(timeOfId(messageId), now));
}
