import type { ReplyRule } from './reply.rule';

/** About our own relation to the next hop (TLS, login, limits): no message is to blame, so even a 5xx is deferred. */
export const OWN_ACCESS_RULES: ReplyRule[] = [
  {
    code: '530',
    text: /starttls/i,
    deferred: true,
    reason: 'tls_failed',
    sample: '530 5.7.0 Must issue a STARTTLS command first',
  },
  {
    code: '53',
    deferred: true,
    reason: 'authentication_failed',
    sample: '530 5.7.0 Authentication required',
  },
  {
    code: '5',
    text: /\bdaily\b.{0,40}\b(sending|relay|user|message|recipients?)\b.{0,20}\b(limit|quota)\b|\bdaily (limit|quota) (for|of) (message|recipients?|sending)|\bsending (limit|quota) (is |was )?exceeded|exceeded.{0,20}\bsending (limit|quota)\b/i,
    deferred: true,
    reason: 'throttled',
    sample: '550 5.4.5 Daily user sending limit exceeded',
  },
  {
    // So many a second, an hour or a month are part of what was agreed with the hop: it takes the mail later.
    code: '5',
    text: /\btoo many (e-?mails|messages) per (second|minute|hour)\b|\bmax(imum)? (e-?mails|messages) per hour\b|\b(sending|sender|outgoing) rate limit\b|\bhas been rate limited\b|\byour (account|plan)\b.{0,30}\b(monthly|hourly|sending|message|e-?mail|plan) (limit|quota)\b|\byour plan('s)?( sending)? limit\b/i,
    deferred: true,
    reason: 'throttled',
    sample: '550 5.7.0 Requested action not taken: too many emails per second',
  },
  {
    // Like 452: for recipients beyond the number that a transaction may have (RFC 5321 section 4.5.3.1.10).
    code: '552',
    text: /too many recipients/i,
    deferred: true,
    reason: 'throttled',
    sample: '552 5.5.3 Too many recipients',
  },
];

/** 4xx: whatever the words, it is tried again (RFC 5321 section 4.2.1). */
export const TEMPORARY_RULES: ReplyRule[] = [
  {
    code: '4',
    text: /gr[ae]y-?\s?list|come back (later|in)|try again (later )?in \d+/i,
    reason: 'greylisted',
    sample: '450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, please try again in 300 seconds',
  },
  {
    code: '4',
    enhanced: /^4\.2\.2$/,
    reason: 'mailbox_full',
    sample: '452 4.2.2 The recipient has used up their storage',
  },
  {
    code: '4',
    text: /throttl|(daily|hourly|sending|submission).{0,20}(quota|limit)/i,
    reason: 'throttled',
    sample: '454 Throttling failure: Daily message quota exceeded.',
  },
  {
    code: '4',
    text: /(mailbox|inbox|quota|storage).{0,30}(full|exceeded)|over ?quota/i,
    reason: 'mailbox_full',
    sample: '452 Mailbox is full for now',
  },
  {
    code: '4',
    text: /too many|rate.?limit|throttl|too (fast|quickly|much mail)|unusual (rate|volume)|unexpected volume|at a rate|server busy|slow down|frequency|(limit|quota).{0,20}exceeded/i,
    reason: 'throttled',
    sample: '421 4.7.0 Our system has detected an unusual rate of mail from your address',
  },
  {
    code: '4',
    enhanced: /^4\.7\.(28|650)$/,
    reason: 'throttled',
    sample: '451 4.7.650 The mail server has been temporarily limited',
  },
  {
    code: '4',
    text: /(user|recipient|mailbox) (is )?(unknown|not found)|no such user/i,
    reason: 'mailbox_unknown',
    sample: '450 4.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual alias table',
  },
  {
    code: '4',
    enhanced: /^4\.7\./,
    reason: 'policy_refused',
    sample: '451 4.7.1 Message held for inspection',
  },
  {
    code: '421',
    reason: 'next_hop_unavailable',
    sample: '421 4.3.0 Service not available, closing transmission channel',
  },
  {
    code: '4',
    reason: 'refused',
    sample: '451 4.3.0 Local error in processing',
  },
];
