import { DAY_MS } from '@lettermill/concurrency';
import type { Config } from '@lettermill/config';

type RetentionTerms = Pick<Config, 'retentionDays' | 'retryDelays'>;

/** A message that bounced or failed can be retried for at least this long. */
const MIN_RETRYABLE_MS = 7 * DAY_MS;
/** Retry delays vary by up to a tenth either way. */
const DELAY_JITTER_FACTOR = 1.1;
/** Data outlives its records by this much, so that a record that is read again finds the data it refers to. */
const DATA_GRACE_MS = 3 * DAY_MS;

/**
 * The content of messages accepted before this time is not needed any more, even if each used all retry delays before it ended. After an
 * attempt whose outcome is unknown, the first delay is waited whichever it would be.
 */
export function contentCutoff(now: number, { retryDelays }: Pick<RetentionTerms, 'retryDelays'>): number {
  const longest = retryDelays.reduce((sum, seconds) => sum + Math.max(seconds, retryDelays[0]!) * 1000, 0);
  return now - MIN_RETRYABLE_MS - longest * DELAY_JITTER_FACTOR;
}

/** Data of messages accepted before this time may be deleted: their records are gone, and their content is not needed. Null: keep all. */
export function dataCutoff(now: number, terms: RetentionTerms): number | null {
  const { retentionDays } = terms;
  return retentionDays === 0 ? null : Math.min(now - retentionDays * DAY_MS - DATA_GRACE_MS, contentCutoff(now, terms));
}
