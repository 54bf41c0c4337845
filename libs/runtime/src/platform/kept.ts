import type { Config } from '../config/config';
import { DAY_MS } from './hourly.sweeper';

type Terms = Pick<Config, 'retentionDays' | 'retryDelays'>;

/** What bounced or failed can be retried for so long at least. */
const RETURNS_MS = 7 * DAY_MS;
/** Each delay is spread by a tenth either way. */
const SPREAD = 1.1;
/** Beyond the records themselves, so that one that is read again finds what it is about. */
const SLACK_MS = 3 * DAY_MS;

/** Nobody asks any more for what a message accepted before was to send: the last of its retries may have ended it so much later. */
export function sendableSince(now: number, { retryDelays }: Pick<Terms, 'retryDelays'>): number {
  return now - RETURNS_MS - retryDelays.reduce((sum, seconds) => sum + seconds * 1000, 0) * SPREAD;
}

/** What belongs to a message accepted before may go: its records are gone, and so is what it was to send. Null: all is kept. */
export function keptSince(now: number, terms: Terms): number | null {
  const { retentionDays } = terms;
  return retentionDays === 0 ? null : Math.min(now - retentionDays * DAY_MS - SLACK_MS, sendableSince(now, terms));
}
