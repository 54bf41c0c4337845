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
    text: /(maximum )?hop count|too many hops|(mail|routing|forwarding) loop|loops? (detected|back to)|\blooping\b/i,
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
    enhanced: /^(5\.0\.0)?$/,
    text: /\bsize ?=|\b(message|mail|size)\b.{0,40}(too (large|big|long)|exceed)/i,
    reason: 'message_too_large',
    sample: '534 SIZE=31457280 is more than is taken here',
  },
];

/** A number of messages that are kept; so many per hour are sent. */
export const FULL_MAILBOX_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /(mailbox|inbox|user|account|recipient) (has|contains|holds) too many (e-?mails|mails|messages)(?! (per|each|in|an?) )/i,
    reason: 'mailbox_full',
    sample: '552 User has too many messages on the server',
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
