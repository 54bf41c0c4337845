import type { ReasonCode } from '@lettermill/problems';

/** What an answer means. The row matches when every pattern that it has does; the first row that matches wins. */
export interface ReplyRule {
  /** The reply code, or how it begins. */
  code: string;
  enhanced?: RegExp;
  /** Against the text without the addresses in it. */
  text?: RegExp;
  action: 'bounced' | 'deferred';
  reason: ReasonCode;
  /** The mailbox or its domain is the cause: the address is worth suppressing. */
  hard: boolean;
  /** An answer that must come to this row. */
  sample: string;
}

/** Our own standing with the next hop: no message is to blame, so a 5xx waits as well. */
const OURS: ReplyRule[] = [
  {
    code: '530',
    text: /starttls/i,
    action: 'deferred',
    reason: 'tls_failed',
    hard: false,
    sample: '530 5.7.0 Must issue a STARTTLS command first',
  },
  {
    code: '53',
    action: 'deferred',
    reason: 'authentication_failed',
    hard: false,
    sample: '530 5.7.0 Authentication required',
  },
];

/** 4xx: whatever the words, it is tried again (RFC 5321 section 4.2.1). */
const FOR_NOW: ReplyRule[] = [
  {
    code: '4',
    text: /gr[ae]y-?\s?list|come back (later|in)|try again (later )?in \d+/i,
    action: 'deferred',
    reason: 'greylisted',
    hard: false,
    sample: '450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted, please try again in 300 seconds',
  },
  {
    code: '4',
    enhanced: /^4\.2\.2$/,
    action: 'deferred',
    reason: 'mailbox_full',
    hard: false,
    sample: '452 4.2.2 The recipient has used up their storage',
  },
  {
    code: '4',
    text: /(mailbox|inbox|quota|storage).{0,30}(full|exceeded)|over ?quota/i,
    action: 'deferred',
    reason: 'mailbox_full',
    hard: false,
    sample: '452 Mailbox is full for now',
  },
  {
    code: '4',
    text: /too many|rate.?limit|throttl|too (fast|much mail)|unusual (rate|volume)|unexpected volume|slow down|frequency|(limit|quota).{0,20}exceeded/i,
    action: 'deferred',
    reason: 'throttled',
    hard: false,
    sample: '421 4.7.0 Our system has detected an unusual rate of mail from your address',
  },
  {
    code: '4',
    enhanced: /^4\.7\.(28|650)$/,
    action: 'deferred',
    reason: 'throttled',
    hard: false,
    sample: '451 4.7.650 The mail server has been temporarily limited',
  },
  {
    code: '4',
    text: /(user|recipient|mailbox) (is )?(unknown|not found)|no such user/i,
    action: 'deferred',
    reason: 'mailbox_unknown',
    hard: false,
    sample: '450 4.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual alias table',
  },
  {
    code: '4',
    enhanced: /^4\.7\./,
    action: 'deferred',
    reason: 'policy_refused',
    hard: false,
    sample: '451 4.7.1 Message held for inspection',
  },
  {
    code: '421',
    action: 'deferred',
    reason: 'next_hop_unavailable',
    hard: false,
    sample: '421 4.3.0 Service not available, closing transmission channel',
  },
  {
    code: '4',
    action: 'deferred',
    reason: 'refused',
    hard: false,
    sample: '451 4.3.0 Local error in processing',
  },
];

/** 5xx whose words say that sender, content or route is the cause, whatever the code says: never hard. */
const POLICY: ReplyRule[] = [
  {
    code: '5',
    text: /spamhaus|spamcop|sorbs|barracuda|\b(rbl|dnsbl)\b|black-?\s?list|block-?\s?list|deny-?\s?list|blocked (using|for|by)|banned|bad reputation|(low|poor) reputation/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '554 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org',
  },
  {
    code: '5',
    text: /\b(spf|dkim|dmarc|arc)\b|unauthenticated|authentication checks/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: "550 5.7.26 Unauthenticated email from example.com is not accepted due to the domain's DMARC policy",
  },
  {
    code: '5',
    text: /\bspam\b|spammy|unsolicited|\bbulk mail\b|virus|malware|phish|suspicious|content (rejected|filter)|message (filtered|content)|prohibited (content|attachment)/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 5.1.1 This message looks like spam and was not taken',
  },
  {
    code: '5',
    text: /relay(ing)?\b.{0,30}(denied|prohibited|not (permitted|allowed))|(unable|not (permitted|allowed)|do not) (to )?relay/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '554 5.7.1 <ada@example.com>: Relay access denied',
  },
  {
    code: '5',
    text: /sender.{0,40}(reject|denied|unknown|verif|not (found|allowed|accepted))|not allowed to send|reverse dns|\bptr\b|(cannot|can't|could not) find your hostname/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 5.1.8 <shop@example.org>: Sender address rejected: Domain not found',
  },
  {
    code: '5',
    enhanced: /^5\.1\.[78]$/,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '553 5.1.8 The domain of the return path does not resolve',
  },
  {
    code: '5',
    text: /too many|rate.?limit|throttl|frequency/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 5.4.6 Too many messages in this hour',
  },
];

const TOO_LARGE_OR_FULL: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^5\.(3\.4|2\.3)$/,
    action: 'bounced',
    reason: 'message_too_large',
    hard: false,
    sample: '552 5.3.4 Message size exceeds fixed limit',
  },
  {
    code: '5',
    text: /(message|mail|size).{0,40}(too (large|big|long)|exceed).{0,60}|too (large|big) .{0,20}message/i,
    action: 'bounced',
    reason: 'message_too_large',
    hard: false,
    sample: '552 Message size exceeds maximum permitted',
  },
  {
    code: '5',
    enhanced: /^5\.2\.2$/,
    action: 'bounced',
    reason: 'mailbox_full',
    hard: false,
    sample: '552 5.2.2 The inbox of this person takes no more',
  },
  {
    code: '5',
    text: /(mailbox|inbox|quota|storage|disk).{0,30}(full|exceeded)|(over|exceeded|out of).{0,20}(quota|storage|disk)/i,
    action: 'bounced',
    reason: 'mailbox_full',
    hard: false,
    sample: '550 5.0.0 Mailbox of the recipient is full',
  },
  {
    code: '5',
    enhanced: /^5\.6\.7$/,
    action: 'bounced',
    reason: 'smtputf8_unsupported',
    hard: false,
    sample: '553 5.6.7 Non-ASCII addresses are not permitted for this recipient',
  },
];

/** 5xx that is about the mailbox or its domain: the address is no good. */
const ADDRESS: ReplyRule[] = [
  {
    code: '5',
    text: /(unknown|no such|invalid|illegal|nonexistent|non-existent|incorrect).{0,20}(user|recipient|mailbox|local.?part|alias|account|person|address)|(user|recipient|mailbox|account|address|alias).{0,30}(unknown|not (be )?(found|known|listed|exist)|does ?n.t exist|does not exist|doesn.t have|invalid|unavailable|no longer)|recip(ient)?notfound|not our (user|customer)|no mailbox here|no such recipient|unrouteable address|is not a valid/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 <ada@example.com>: User unknown',
  },
  {
    code: '5',
    enhanced: /^5\.4\.1$/,
    text: /recipient address rejected/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 5.4.1 <ada@example.com>: Recipient address rejected: Access denied',
  },
  {
    code: '5',
    enhanced: /^5\.1\.(0|1|3|4|6|351)$/,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 5.1.1 https://support.example.com/mail/answer/6596',
  },
  {
    code: '551',
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '551 Please write to another server',
  },
  {
    code: '5',
    enhanced: /^5\.2\.1$/,
    action: 'bounced',
    reason: 'mailbox_disabled',
    hard: true,
    sample: '550 5.2.1 This account takes no mail',
  },
  {
    code: '5',
    text: /(account|mailbox|user|recipient|address).{0,30}(disabled|deactivated|suspended|inactive|not active|locked|closed|discontinued|expired)|inactive (user|account|mailbox)/i,
    action: 'bounced',
    reason: 'mailbox_disabled',
    hard: true,
    sample: '554 delivery error: this mailbox is disabled',
  },
  {
    code: '5',
    enhanced: /^5\.(1\.2|1\.10|4\.4)$/,
    action: 'bounced',
    reason: 'domain_unknown',
    hard: true,
    sample: '556 5.1.10 The domain has a null MX record',
  },
  {
    code: '5',
    text: /(host|domain).{0,20}(unknown|not found|does ?n.t exist|does not (exist|accept))|(unknown|no such|invalid) (host|domain)|null mx|nxdomain/i,
    action: 'bounced',
    reason: 'domain_unknown',
    hard: true,
    sample: '550 Host unknown (authoritative answer from the name server)',
  },
  {
    code: '556',
    action: 'bounced',
    reason: 'domain_unknown',
    hard: true,
    sample: '556 Nothing is taken here',
  },
];

const OTHERWISE: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^5\.7\./,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 5.7.1 Not wanted here',
  },
  { code: '5', action: 'bounced', reason: 'refused', hard: false, sample: '554 5.3.0 Transaction failed' },
];

/** All rows, in the order in which they are tried. */
export const REPLY_RULES: readonly ReplyRule[] = [
  ...OURS,
  ...FOR_NOW,
  ...POLICY,
  ...TOO_LARGE_OR_FULL,
  ...ADDRESS,
  ...OTHERWISE,
];
