import type { ReplyRule } from './reply.rule';

/** 5xx of a server that tried for long, or that can't: no fault of the address. */
export const ROUTE: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^[45]\.4\.7$/,
    action: 'bounced',
    reason: 'given_up',
    hard: false,
    sample: '550 4.4.7 QUEUE.Expired',
  },
  {
    code: '5',
    enhanced: /^[45]\.4\.(6|14)$/,
    text: /loop|hops?\b/i,
    action: 'bounced',
    reason: 'refused',
    hard: false,
    sample: '554 5.4.6 Hop count exceeded: possible mail loop',
  },
  {
    code: '5',
    text: /(maximum )?hop count|too many hops|(mail|routing|forwarding) loop|loops? (detected|back to)/i,
    action: 'bounced',
    reason: 'refused',
    hard: false,
    sample: '554 Maximum hop count exceeded. Message probably in a routing loop',
  },
  {
    code: '5',
    text: /(name service error|name server|lookup|resol).{0,80}(try again|failure(?!: host \S{1,255} not found)|temporary)|temporary (dns|name)/i,
    action: 'bounced',
    reason: 'given_up',
    hard: false,
    sample: '550 Name service error for the domain: Host not found, try again',
  },
];

/** What a server says of a domain that it finds no way to, other causes named beside it. */
export const NO_WAY: ReplyRule[] = [
  {
    code: '5',
    text: /(account|domain).{0,20}may not exist/i,
    action: 'bounced',
    reason: 'domain_unknown',
    hard: true,
    sample: '550 The account or domain may not exist, they may be blacklisted, or missing the proper dns entries',
  },
  {
    code: '5',
    text: /mx records? points? to non-?existent|unroute?able (mail )?domain/i,
    action: 'bounced',
    reason: 'domain_unknown',
    hard: true,
    sample: '550 all relevant MX records point to non-existent hosts',
  },
  {
    code: '521',
    enhanced: /^(5\.[03]\.\d+)?$/,
    text: /(does not|doesn't|will not|never|not) accept(ing)?\b|accepts no mail/i,
    action: 'bounced',
    reason: 'domain_unknown',
    hard: true,
    sample: '521 example.org does not accept mail',
  },
];

/** 5xx whose words say that sender, content or route is the cause, whatever the code says: never hard. */
export const POLICY: ReplyRule[] = [
  {
    code: '5',
    text: /spamhaus|spamcop|sorbs|barracuda|\b(rbl|dnsbl)\b|black-?\s?list|block-?\s?list|deny-?\s?list|blocked (using|for|by)|banned|bad reputation|(low|poor) reputation|refused due to recipient|recipient preferences/i,
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
    text: /sender.{0,40}(reject|denied|unknown|verif|not (found|allowed|accepted))|mail from.{0,20}(reject|denied|refused)|not allowed to send|\b(he|eh)lo\b.{0,40}(invalid|reject|denied|unknown|resolv)|(invalid|bad|rejected).{0,20}\b(he|eh)lo\b|reverse dns|\bptr\b|(cannot|can't|could not) find your hostname/i,
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
    text: /too many|rate.?limit|throttl|frequency|gr[ae]y-?list/i,
    action: 'bounced',
    reason: 'policy_refused',
    hard: false,
    sample: '550 5.4.6 Too many messages in this hour',
  },
];

export const TOO_LARGE_OR_FULL: ReplyRule[] = [
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
    text: /(mailbox|inbox|quota|storage|disk).{0,30}(full|exceed)|(account|folder) (is |has )?(full|exceed)|(over|exceed\w*|out of).{0,20}(quota|storage|disk)|(insufficient|not enough) .{0,20}(space|storage)|no (more |free )?(disk )?(space|storage)|space not enough|exceed.{0,30}(allowed|mailbox) size/i,
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

/**
 * 5xx that is about the mailbox or its domain. A mailbox that is there and takes no mail for now is not hard: who suspended it
 * may open it again (RFC 3463, X.2.1).
 */
export const ADDRESS: ReplyRule[] = [
  {
    code: '5',
    text: /(unknown|no such|invalid|illegal|nonexistent|non-existent|incorrect).{0,20}(user|recipient|mailbox|local.?part|alias|account|person|address)|(user|recipient|mailbox|account|address|alias).{0,30}(unknown|not (be )?(found|known|listed|exist)|does ?n.t exist|does not exist|doesn.t have|invalid|unavailable|no longer)|recip(ient)?notfound|not our (user|customer)|no mailbox here|no such recipient|unrouteable address|is not a valid|no valid recipients|unknown (to|in) (the )?address|recipient address rejected\.?\s*$|adresse.{0,20}(invalide|inconnue)|destinataire.{0,20}(invalide|inconnu)|usuario (desconocido|inexistente)|empf.nger unbekannt|unbekannter? (empf.nger|benutzer)/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 <ada@example.com>: User unknown',
  },
  {
    code: '5',
    text: /no (account|mailbox|user|person|one|body)( here)? by that name|no (mailbox|user|account|recipient) found|not a known (user|recipient|mailbox|address)|(user|recipient|mailbox|address) (is )?not (recogni[sz]ed|available)|(do not|don't) have (a|any) (user|mailbox|account)|no one here|no local mailbox|not a valid (user|recipient|mailbox|address|account)|(cannot|can't|could not|unable to) find (the |a )?(user|recipient|mailbox|account)|(user|recipient|addressee) (undefined|not defined)/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 Sorry, no one here by that name',
  },
  {
    code: '5',
    text: /\bhas (moved|left)\b|address (has )?(been )?changed|changed (mailing |e-?mail )?address|no longer (here|with us|works|employed|on (this )?server)/i,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 The person has moved to another provider',
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
    enhanced: /^5\.1\.(0|1|3|6|351)$/,
    action: 'bounced',
    reason: 'mailbox_unknown',
    hard: true,
    sample: '550 5.1.1 https://support.example.com/mail/answer/6596',
  },
  {
    code: '551',
    enhanced: /^(?!5\.7\.)/,
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
    hard: false,
    sample: '550 5.2.1 This account takes no mail',
  },
  {
    code: '5',
    text: /(account|mailbox|user|recipient|address).{0,30}(disabled|deactivated|suspended|inactive|not active|locked|blocked|frozen|closed|discontinued)|(account|mailbox) (has |is )?expired|(inactive|disabled|suspended) (user|account|mailbox|recipient)/i,
    action: 'bounced',
    reason: 'mailbox_disabled',
    hard: false,
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
    text: /(host|domain).{0,20}(unknown|not found|does ?n.t exist|does not (exist|accept))|(unknown|no such|invalid) (host|domain)|null mx|nxdomain|no (smtp service|mx|mail exchanger)|(bad|illegal|invalid) (destination|host|domain)|domain.{0,20}(not reachable|not be found|could ?n.t be found)|any host named|exchanger or ip/i,
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

/** 5xx that says no more than that the route did not work out in time. */
export const IN_TIME: ReplyRule[] = [
  {
    code: '5',
    text: /(message|envelope|delivery|queue|mail).{0,20}(expired|timed? ?out)|retry time(out)? (exceeded|not reached)|(too long|maximum time).{0,20}queue|in the queue too long|could ?n.t be delivered (for|within)|not delivered within|retries? exceeded|after (multiple|several) retries/i,
    action: 'bounced',
    reason: 'given_up',
    hard: false,
    sample: '550 Message expired after five days',
  },
  {
    code: '5',
    text: /try again later|connection (timed out|refused|reset)|could not connect|connect to .{0,80}(timed out|refused|unreachable)|no route to host|unable to (contact|connect)/i,
    action: 'bounced',
    reason: 'given_up',
    hard: false,
    sample: '550 Connection timed out',
  },
];
