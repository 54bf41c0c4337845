import type { ReplyRule } from './reply.rule';

/** There is nobody by that name, whatever the code says. The first rows are mailboxes that exist, in similar words. */
const UNKNOWN_MAILBOX_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /unavailable: (account|mailbox|user) is (disabled|blocked|suspended|inactive|terminated)/i,
    reason: 'mailbox_disabled',
    sample:
      '550 Message was not accepted -- invalid mailbox. Local mailbox ada@example.com is unavailable: account is disabled',
  },
  {
    code: '5',
    text: /(mailbox|user|account|recipient|address)\b.{0,60}\btemporar\w{1,4} (locked|suspended|disabled|blocked|inactive)\b|\btemporar\w{1,4} (locked|suspended|disabled|blocked|inactive)\b.{0,40}(mailbox|user|account)/i,
    reason: 'mailbox_disabled',
    sample: "550 5.1.1 The recipient's mailbox is temporarily locked",
  },
  {
    code: '5',
    enhanced: /^5\.2\.1$/,
    text: /mailbox (is )?(unavailable|not available)/i,
    reason: 'mailbox_disabled',
    sample: '550 5.2.1 Mailbox not available',
  },
  {
    // Of the whole system the same words say nothing about a mailbox.
    code: '5',
    text: /(?<!\b(service|system|server|host|gateway|resources?)( is| are)? )((temporar\w{1,4}|currently|presently) (unavailable|not available)|unavailable (temporar|at th|right now|for now))|(mailbox|user|recipient) (is )?busy/i,
    reason: 'mailbox_disabled',
    sample: '550 Mailbox temporarily unavailable',
  },
  {
    code: '5',
    text: /(unknown|no such|invalid|illegal|bad|wrong|non-?\s?existent|incorrect).{0,20}(user|recipient|receiver|mail ?box|local.?part|alias|account|person|address)|(user|recipient|rcpt|receiver|mail ?box|account|address|alias).{0,30}(unknown|not (be )?(found|known|listed|exist|registered|available)|n.?t (be found|exist)|does not exist|does(n.t| not) have|invalid|no longer)|(user|recipient|mail ?box|account|address) (is )?unavailable|recip(ient)?notfound|not our (user|customer)|no mail ?box (here|available|for)|no such recipient|unroute?able address|is not a valid|no (valid|local) (recipient|user|mailbox)|unknown (to|in) (the )?address|adresse.{0,20}(invalide|inconnue)|destinataire.{0,20}(invalide|inconnu)/i,
    reason: 'mailbox_unknown',
    sample: '550 <ada@example.com>: User unknown',
  },
  {
    code: '5',
    text: /no (account|mailbox|user|recipient|address|person|one|body)( here)? by that name|(n't|not) handle mail for (that|this) (user|recipient|address|mailbox)\b|(person|one) is not known (here|to us)\b|no (mailbox|user|account|recipient) found|not an? ((known|local|active) ){0,2}(user|recipient|mailbox|address)\b|(user|recipient|mailbox|address)( name)? (is )?not (recogni[sz]ed|available|here|present|handled|on (this |the )?(system|server))|(do not|don't) (have (a|an|any|such an?)|know (this|that|the)) (user|mailbox|account)|no ?one (here|at this|with (that|this))\b|no local (mailbox|user)|not a valid (user|recipient|mailbox|address|account)|(cannot|can't|could not|unable to) find (the |a )?(user|recipient|mailbox|account|alias)|(user|recipient|addressee) (undefined|not defined|can(not| not|'t) be verified)|not in (my|our|the) (validrcptto|recipients?|users?)\b|(account|mailbox|user|address)( (has|is|was)( been)?)? (deleted|retired)\b/i,
    reason: 'mailbox_unknown',
    sample: '550 Sorry, no one here by that name',
  },
  {
    // What begins the words was said of an address before it, which is not among them.
    code: '5',
    text: /^[\W\d]*(not (found|known)|does(n't| not) exist|existiert nicht|n'existe pas|no existe|non esiste|nie istnieje)\W*(in reply|$)|(user|recipient) not ok\b|(user|recipient|address) (is )?not a member of (the )?domain|does(n't| not) have an? (\S{1,40} )?(account|mailbox)\b|user has no (account|mailbox)\b|not ((found|present|known|listed) )?(in|at) (the |our |this )?(ldap|directory|site)\b|no such mail ?drop|(unrecogni[sz]ed|unregistered) (user|recipient|mailbox|address|account)|\bbad(rcpt|recipient)to\b|envelope recipient has been denied|(user|recipient|mailbox)\b.{0,20}\bno exist|(user|recipient|mailbox) (is )?not local\b|(user|recipient|mailbox|address) is not valid/i,
    reason: 'mailbox_unknown',
    sample: '550 <ada@example.com> not found',
  },
  {
    code: '5',
    text: /\bhas (moved|left)\b|has been replaced by|address (has )?(been )?changed|changed (mailing |e-?mail )?address|no longer (here|with (us|the)|works|employed|on (this )?server)/i,
    reason: 'mailbox_unknown',
    sample: '550 The person has moved to another provider',
  },
  {
    code: '5',
    text: /(recipient|dest\w*)( address)? rejected\.?\s*(\(in reply|$)|^#?\s?address rejected\.?\s*$/i,
    reason: 'mailbox_unknown',
    sample: '550 Address rejected.',
  },
  {
    code: '5',
    enhanced: /^5\.4\.1$/,
    text: /recipient address(es)? rejected/i,
    reason: 'mailbox_unknown',
    sample: '550 5.4.1 <ada@example.com>: Recipient address rejected: Access denied',
  },
];

/** A mailbox that exists but takes no mail for now is not hard: whoever suspended it may open it again (RFC 3463, X.2.1). */
const CLOSED_MAILBOX_RULES: ReplyRule[] = [
  {
    code: '5',
    text: /(account|mailbox|user|recipient|address).{0,30}\b(disabled|deactivated|suspended|inactive|not active|locked|blocked|frozen|closed|discontinued|archived)\b|(account|mailbox) (has |is )?expired|\b(inactive|disabled|deactivated|suspended|blocked|locked|archived) (user|account|mailbox|recipient)/i,
    reason: 'mailbox_disabled',
    sample: '554 delivery error: this mailbox is disabled',
  },
  {
    code: '5',
    enhanced: /^5\.2\.1$/,
    reason: 'mailbox_disabled',
    sample: '550 5.2.1 This account takes no mail',
  },
];

/** The code alone, without words that say more. */
const CODE_RULES: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^5\.1\.(0|1|3|6|351)$/,
    reason: 'mailbox_unknown',
    sample: '550 5.1.1 https://support.example.com/mail/answer/6596',
  },
  {
    code: '551',
    enhanced: /^(?!5\.7\.)/,
    reason: 'mailbox_unknown',
    sample: '551 Please write to another server',
  },
];

/** Unless the code says that this is why the sender is refused (RFC 3463, X.7). */
const DOMAIN_RULES: ReplyRule[] = [
  {
    code: '5',
    enhanced: /^5\.(1\.2|1\.10|4\.4)$/,
    reason: 'domain_unknown',
    sample: '556 5.1.10 The domain has a null MX record',
  },
  {
    code: '5',
    enhanced: /^(?!5\.7\.)/,
    text: /(host|domain).{0,20}(unknown|not found|does ?n.t exist|does not (exist|accept))|(unknown|no such|invalid|non-?existent) (host|domain)|null mx|indicated no smtp service|nxdomain|no (valid )?(mx|mail (exchanger|server))\b|find a (valid )?mx\b|domain (must exist|not in service)|(bad|illegal|invalid) (destination|host|domain)|domain.{0,20}(not reachable|not be found|could ?n.t be found)|any host (named|by that name)|exchanger or ip|name or service not known|no address associated with/i,
    reason: 'domain_unknown',
    sample: '550 Host unknown (authoritative answer from the name server)',
  },
  {
    code: '556',
    reason: 'domain_unknown',
    sample: '556 Nothing is taken here',
  },
];

/** 5xx that is about the mailbox or its domain. */
export const ADDRESS_RULES: ReplyRule[] = [
  ...UNKNOWN_MAILBOX_RULES,
  ...CLOSED_MAILBOX_RULES,
  ...CODE_RULES,
  ...DOMAIN_RULES,
];
