import { timeOfId } from '@lettermill/events';
import type { Report } from './report';

/** A report states whole seconds. Its second may be the one in which the mail was sent, and the report was written after that. */
const LAST_MS_OF_SECOND = 999;

/** The time of a report is the second it states, but not before its message or in the future: clocks elsewhere may be wrong. */
export function reportTime({ writtenAt }: Pick<Report, 'writtenAt'>, messageId: string, now: number): number {
  const stated = writtenAt === null ? now : writtenAt + LAST_MS_OF_SECOND;
  return Math.max(Math.min(stated, now), Math.min(timeOfId(messageId), now));
}
