/** After this long, more are tried again. */
const FORGET_AFTER_MS = 10 * 60_000;
/** A connection that rested for longer was closed because it was idle, which tells nothing. */
const MAX_REST_MS = 500;

/**
 * How many mails the hop takes on one connection. Many hops have a limit: they close the connection after so many, or answer 421 or 4xx to
 * the next MAIL. Two connections in succession that end after the same number of mails show it. Times are milliseconds; times in the
 * future, after the clock was set back, are ignored.
 */
export interface MailLimit {
  /** Infinity if none is known. */
  readonly most: number;
  readonly learnedAt: number;
  /** How many mails went over the last connection that the hop ended. */
  readonly last: number | undefined;
}

export const NO_MAIL_LIMIT: MailLimit = { most: Infinity, learnedAt: -Infinity, last: undefined };

/** The hop ended a connection that had carried `mails` and rested for `restedMs` since. */
export function connectionEnded(limit: MailLimit, mails: number, restedMs: number, now: number): MailLimit {
  if (mails === 0 || restedMs > MAX_REST_MS) return limit;
  return mails === limit.last ? { most: mails, learnedAt: now, last: mails } : { ...limit, last: mails };
}

export function mostMails({ most, learnedAt }: MailLimit, now: number): number {
  return now >= learnedAt && now - learnedAt < FORGET_AFTER_MS ? most : Infinity;
}
