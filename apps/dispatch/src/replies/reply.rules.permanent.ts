import type { ReplyRule } from './reply.rule';

/** 5xx of a server that tried for long, or that cannot pass the mail on: not the fault of the address. */
export const ROUTE_RULES: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^[45]\.4\.7$/,
    reason: 'given_up',
    sample: '550 4.4.7 QUEUE.Expired',
  },
  {
    code: '5',
    enhanced: /^[45]\.4\.(6|14)$/,
    text: /loop|hops?\b/i,
    reason: 'refused',
    sample: '554 5.4.6 Hop count exceeded: possible mail loop',
  },
  {
    code: '5',
    text: /(maximum )?hop count|too many hops|(mail|routing|forwarding) loop|loops? (detected|back to)/i,
    reason: 'refused',
    sample: '554 Maximum hop count exceeded. Message probably in a routing loop',
  },
  {
    code: '5',
    text: /(name service error|name server|lookup|resol).{0,80}(try again|failure(?!: host \S{1,255} not found)|temporary|malformed|servfail|timed? ?out)|temporary (dns|name)/i,
    reason: 'given_up',
    sample: '550 Name service error for the domain: Host not found, try again',
  },
];

/** Exim, and so cPanel, tried to verify the sender; what it found is in further lines, which read as if they were about the recipient. */
export const SENDER_VERIFICATION_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /(^|\d[ -])(postmaster )?verification failed (for|while checking)\b|callback setup failed while verifying\b|sender verify failed/i,
    reason: 'policy_refused',
    sample: '550 Verification failed for <shop@example.org> Unrouteable mail domain "example.org" Sender verify failed',
  },
];

/** What a server says about a domain to which it finds no route, even if it also names other causes. */
export const NO_ROUTE_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /(account|domain).{0,20}may not exist/i,
    reason: 'domain_unknown',
    sample: '550 The account or domain may not exist, they may be blacklisted, or missing the proper dns entries',
  },
  {
    code: '5',
    text: /mx records? points? to non-?existent|unroute?able (mail )?domain/i,
    reason: 'domain_unknown',
    sample: '550 all relevant MX records point to non-existent hosts',
  },
  {
    code: '521',
    enhanced: /^(5\.[03]\.\d+)?$/,
    text: /(does not|doesn't|will not|never|not) accept(ing)?\b(?!.{0,40}\bfrom\b)|accepts no mail|no smtp service/i,
    reason: 'domain_unknown',
    sample: '521 example.org does not accept mail',
  },
];

/** 5xx whose words say that sender, content or route is the cause, whatever the code says: never hard. */
export const POLICY_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /spamhaus|spamcop|sorbs|barracuda|\b(rbl|dnsbl)s?\b|black-?\s?list|block-?\s?list|deny-?\s?list|blocked (using|for|by)|banned|(white|allow)-?\s?list|(not|n't|never) accept(ing)? (any )?((e-?)?mails?|messages?|connections?) from\b|bad reputation|(low|poor) reputation|refused due to recipient|recipient preferences/i,
    reason: 'policy_refused',
    sample: '554 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org',
  },
  {
    code: '5',
    text: /\b(spf|dkim|dmarc|arc)\b|unauthenticated|authentication checks/i,
    reason: 'policy_refused',
    sample: "550 5.7.26 Unauthenticated email from example.com is not accepted due to the domain's DMARC policy",
  },
  {
    code: '5',
    text: /\bspam\b|spammy|spamverdacht|спам|垃圾邮件|スパム|迷惑メール|unsolicited|\bbulk mail\b|virus|malware|phish|suspicious|content (rejected|filter)|message (filtered|content)|prohibited (content|attachment)/i,
    reason: 'policy_refused',
    sample: '550 5.1.1 This message looks like spam and was not taken',
  },
  {
    code: '5',
    text: /relay(ing)?\b.{0,30}(denied|prohibited|not (permitted|allowed))|(unable|not (permitted|allowed)|do not) (to )?relay/i,
    reason: 'policy_refused',
    sample: '554 5.7.1 <ada@example.com>: Relay access denied',
  },
  {
    code: '5',
    text: /sender(?:[^.;]|\.(?=\w)){0,60}(reject|refus|denied|unknown|invalid|verif|must exist|not (found|allowed|accepted|exist|resolve)|n.t (exist|resolve)|(no|null) mx)|mail from.{0,20}(reject|denied|refused)|not allowed to send|\b(he|eh)lo\b.{0,40}(invalid|reject|denied|unknown|resolv|not found)|(invalid|bad|rejected).{0,20}\b(he|eh)lo\b|reverse.?(dns|lookup|host)|\bptr\b|(cannot|can't|could not) find your hostname/i,
    reason: 'policy_refused',
    sample: '550 5.1.8 <shop@example.org>: Sender address rejected: Domain not found',
  },
  {
    code: '5',
    text: /(invalid|bad|illegal|improper|unknown|no such)\W{1,3}(\w{1,12} )?(sender|from\b|originator|return|reverse|header|ip\b|client)|(your|client|connecting|sending|\bfrom) (e-?mail |mail )?(domain|host|ip|server|address)( ?(host ?)?name)?\b.{0,40}(not|n't|unknown|invalid)\b|\bheader\W{1,3}(\w{1,12}\W{1,3})?(domain|address)\b.{0,30}(not|n't|unknown|invalid)\b|\b(reply-to|message-id)\b.{0,20}(not|n't|unknown|invalid)\b|\binvalid message-id\b|\bip.?address\b.{0,30}(not|n't|unknown|invalid)\b|return.?(address|path).{0,40}(not|n't|unknown|invalid)\b|(authentication|credentials) (failed|failure|invalid|required)|(policy|security) (restriction|reason|violation)|reputation/i,
    reason: 'policy_refused',
    sample: '550 Invalid sender address',
  },
  {
    code: '5',
    text: /\binvalid dns\b|\b(no|invalid|missing|bad|such) (mx|dns|domain|address|mx or a)\b[^.;]{0,30}\b(of|for|in) (the |your )?((envelope )?sender|from\b)|\bmail from unknown\b|\bdomain as that of the sender/i,
    reason: 'policy_refused',
    sample: '550 5.7.1 No MX for sender domain',
  },
  {
    code: '5',
    text: /\bip( ?address)?\b.{0,30}\bblocked\b|\bblock\w{0,3} (you\b|the sender|this sender|sender\b)|: ?blocked\)|\byour (\w{1,12} )?account\b.{0,30}(disabled|suspended|blocked|locked|inactive)/i,
    reason: 'policy_refused',
    sample: '554 5.7.1 Your IP address has been blocked',
  },
  {
    code: '5',
    enhanced: /^5\.1\.[78]$/,
    reason: 'policy_refused',
    sample: '553 5.1.8 We know no way back to you',
  },
  {
    code: '5',
    text: /too many|rate.?limit|throttl|frequency|gr[ae]y-?list|(sending|daily|hourly|per.?(hour|day)|out(going|bound)).{0,30}(limit|quota)|recipients? (limit|count)/i,
    reason: 'policy_refused',
    sample: '550 5.4.6 Too many messages in this hour',
  },
];

/**
 * 534 is about a login only in answer to AUTH (RFC 4954), and such answers are not classified here. In answer to MAIL it is about the
 * declared size.
 */
export const DECLARED_SIZE_RULES: ReplyRule[] = [
  {
    code: '534',
    enhanced: /^5\.(3\.4|2\.3)$/,
    reason: 'message_too_large',
    sample: '534 5.3.4 More than is taken here',
  },
  {
    code: '534',
    enhanced: /^$/,
    text: /\bsize ?=|\b(message|mail|size)\b.{0,40}(too (large|big|long)|exceed)/i,
    reason: 'message_too_large',
    sample: '534 SIZE=31457280 is more than is taken here',
  },
];

export const SIZE_AND_QUOTA_RULES: ReplyRule[] = [
  {
    // The code for a mail that is too large for one mailbox (RFC 3463, X.2.3), also used if the mailbox is full.
    code: '5',
    enhanced: /^5\.2\.3$/,
    text: /\bover ?(drawn|quota)|(disk|space|mailbox|storage).{0,20}quota/i,
    reason: 'mailbox_full',
    sample: '552 5.2.3 The user has overdrawn his diskspace quota',
  },
  {
    code: '5',
    enhanced: /^5\.(3\.4|2\.3)$/,
    reason: 'message_too_large',
    sample: '552 5.3.4 Message size exceeds fixed limit',
  },
  {
    code: '5',
    enhanced: /^5\.2\.2$/,
    reason: 'mailbox_full',
    sample: '552 5.2.2 The inbox of this person takes no more',
  },
  {
    code: '5',
    text: /(mailbox|inbox|quota|storage|disk).{0,30}(full|exceed|violat)|(account|folder) (is |has )?(full|exceed)|(over|exceed\w*|out of).{0,20}(quota|storage|disk)|(insufficient|n(o|')t (have )?enough) .{0,20}(space|storage)|\ba full (mailbox|inbox)\b|no (more |free )?(disk )?(space|storage)|space not enough|exceed.{0,30}(allowed|mailbox) size|(mailbox|user|recipient).{0,30}reached.{0,20}(limit|maximum|quota)/i,
    reason: 'mailbox_full',
    sample: '550 5.0.0 Mailbox of the recipient is full',
  },
  {
    code: '5',
    text: /(message|mail|size).{0,40}(too (large|big|long)|exceed)|too (large|big) .{0,20}message/i,
    reason: 'message_too_large',
    sample: '552 Message size exceeds maximum permitted',
  },
  {
    code: '5',
    enhanced: /^5\.6\.7$/,
    reason: 'smtputf8_unsupported',
    sample: '553 5.6.7 Non-ASCII addresses are not permitted for this recipient',
  },
];

/** 5xx that says only that the mail could not be passed on in time. */
export const EXPIRY_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /(message|envelope|delivery|queue|mail).{0,20}(expired|timed? ?out)|retry time(out)? (exceeded|not reached)|(too long|maximum time).{0,20}queue|in the queue too long|could ?n.t be delivered (for|within)|not delivered within|retries? exceeded|after (multiple|several) retries/i,
    reason: 'given_up',
    sample: '550 Message expired after five days',
  },
  {
    code: '5',
    text: /try again later|connection (timed out|refused|reset)|could not connect|connect to .{0,80}(timed out|refused|unreachable)|no route to host|unreachable|lost connection|^timed out|unable to (contact|connect|establish)|n.t able to establish/i,
    reason: 'given_up',
    sample: '550 Connection timed out',
  },
];
