import type { ReplyRule } from './reply.rule';

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
    text: /\bspam\b|(?<![\w.-])(anti-?spam\w{0,20}|spam\w{1,20})(?![\w-]*\.\w)|spamverdacht|спам|垃圾邮件|スパム|迷惑メール|unsolicited|\bbulk mail\b|virus|malware|phish|suspicious|content (rejected|denied|refused|blocked|filter)|bounce attacks?|message (filtered|content)|prohibited (content|attachment)/i,
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
    text: /sender(?:[^.;]|\.(?=\w)){0,60}(reject|refus|denied|unknown|invalid|verif|must exist|not (found|allowed|accepted|exist|resolve)|n.t (exist|resolve)|(no|null) ?mx)|mail from.{0,20}(reject|denied|refused)|not allowed to send|\b(he|eh)lo\b.{0,40}(invalid|reject|denied|unknown|resolv|not found)|(invalid|bad|rejected|unknown).{0,20}\b(he|eh)lo\b|reverse.?(dns|lookup|host)|\bptr\b|(cannot|can't|could not) find your hostname/i,
    reason: 'policy_refused',
    sample: '550 5.1.8 <shop@example.org>: Sender address rejected: Domain not found',
  },
  {
    code: '5',
    text: /(invalid|bad|illegal|improper|unknown|no such)\W{1,3}(\w{1,12} )?(sender|from\b|originator|return|reverse|header|ip\b|client)|(your|client|connecting|sending|\bfrom) (e-?mail |mail )?(domain|host|ip|server|address)( ?(host ?)?name)?\b.{0,40}(not|n't|unknown|invalid|nxdomain)\b|\bheader\W{1,3}(\w{1,12}\W{1,3})?(domain|address)\b.{0,30}(not|n't|unknown|invalid)\b|\b(reply-to|message-id)\b.{0,20}(not|n't|unknown|invalid)\b|\binvalid message-id\b|\bip.?address\b.{0,30}(not|n't|unknown|invalid)\b|return.?(address|path).{0,40}(not|n't|unknown|invalid)\b|(authentication|credentials) (failed|failure|invalid|required)|(policy|security) (restriction|reason|violation)|reputation/i,
    reason: 'policy_refused',
    sample: '550 Invalid sender address',
  },
  {
    code: '5',
    text: /\b(sending|sent|send|mailing|writing) from,? (does(n't| not) exist|((is|was) )?(not (valid|known|found|registered)|unknown|invalid)\b)|\b(mails?|messages?|connections?) from (an? |any |the )?(domain|host|server|address)(es|s)? (that|which|whose|with|without)\b|\bfrom: (header )?(address|domain|field)\b.{0,20}(not (an? )?(valid|known|found|exist)|n't exist|unknown|invalid)\b|\bbounce address\b.{0,20}(not|n't|unknown|invalid)\b/i,
    reason: 'policy_refused',
    sample: '550 The address that you are sending from does not exist',
  },
  {
    // Hosts of recipients are asked for by name.
    code: '5',
    text: /\b(host|server|client):? [[(]?(\d{1,3}(\.\d{1,3}){3}|[\da-f]{1,4}:[\da-f:]{2,40})[\])]?:? (is |was |does |could )?(not (be )?(found|known|exist|resolve)|unknown)|\bunknown (host|server|client):? [[(]?(\d{1,3}(\.\d{1,3}){3}|[\da-f]{1,4}:[\da-f:]{2,40})/i,
    reason: 'policy_refused',
    sample: '554 Unknown host [192.0.2.1]',
  },
  {
    code: '5',
    text: /\b(excessive|max(imum)?)\b[^.;:,]{0,40}\b(unknowns|(unknown|invalid|bad|non-?existent) (recipient|user|address|mailbox|rcpt)(es|s))\b|\b(unknown|invalid|bad|non-?existent) (recipient|user|address|mailbox|rcpt)(es|s)\b.{0,20}\b(exceed|reached|limit)|\bnumber of recipients\b.{0,20}\binvalid|\binvalid number of recipients/i,
    reason: 'policy_refused',
    sample: '550 Maximum number of unknown recipients exceeded',
  },
  {
    code: '5',
    text: /\b(unknown|invalid|bad|illegal|no such) user[ -]agent|\b(address|domain|recipient)(es|s)?\b.{0,20}\bin (the |your )?(\w{1,12}:? )?headers?\b/i,
    reason: 'policy_refused',
    sample: '550 Bad address list in the header',
  },
  {
    code: '5',
    text: /\bcontacts? list\b|(not |un)known to (the )?recipient\b(?!'s)|address verification in progress/i,
    reason: 'policy_refused',
    sample: "550 5.1.1 You are not in the recipient's contact list",
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
    enhanced: /^(?!5\.2\.2$)/,
    text: /too many|rate.?limit|throttl|frequency|gr[ae]y-?list|(sending|daily|hourly|per.?(hour|day)|out(going|bound)).{0,30}(limit|quota)|recipients? (limit|count)/i,
    reason: 'policy_refused',
    sample: '550 5.4.6 Too many messages in this hour',
  },
  {
    // Codes of NetEase, Orange and Yahoo, of which the last two have others for unknown mailboxes.
    code: '5',
    text: /\b(DT|HL|MI|RP):[A-Z]{3}\b|\bOFR 506\b|\[TSS\d\d\]/,
    reason: 'policy_refused',
    sample: '554 DT:SPM 163 mx1',
  },
];
