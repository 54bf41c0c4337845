import type { ReasonCode } from '@lettermill/problems';
import type { HopState } from '../lifecycle/delivery';
import { parseReply, type Reply } from './reply';
import type { ReplyRule } from './reply.rule';
import { REPLY_RULES } from './reply.rules';

export interface Meaning {
  action: 'bounced' | 'deferred';
  reason: ReasonCode;
  /** The mailbox or its domain is the cause: the address should be suppressed. */
  hard: boolean;
}

const HARD_REASONS: readonly ReasonCode[] = ['mailbox_unknown', 'domain_unknown'];

/** A link to a blocklist, however, says everything, and so does its name. */
const BLOCKLIST =
  /^(?:https?:\/\/)?[^/]{0,60}(?:spamhaus|spamcop|sorbs|barracudacentral|uceprotect|abuseat|surbl|uribl)\./i;
/** A domain name that is longer than the gaps that the rules leave between two words. */
const LONG_NAME = /(?<![\w.-])(?=[a-z\d.-]{21})(?:[a-z\d-]{1,63}\.){1,10}[a-z]{2,24}(?![\w-])/g;

/**
 * Addresses and links in an answer are not among its words: `<spam@example.com>: User unknown` is not about spam. Words joined by
 * underscores (`BAD_RECIPIENT`) are, all forms of the apostrophe become one, and a long domain name becomes a short one.
 */
function wordsOf(text: string): string {
  const bare = text.replace(/<[^<>]*>|(?<![\w.+=%/'-])[\w.+=%/'-]+@[\w-]+(?:\.[\w-]+)*|https?:\/\/\S+/gi, (found) =>
    BLOCKLIST.test(found) ? ' blocklist ' : ' ',
  );
  const short = bare.replace(LONG_NAME, (name) => (BLOCKLIST.test(name) ? name : 'example.org'));
  return short.replace(/[_\s]+/g, ' ').replace(/[’‘ʼ´]/g, "'");
}

/** The row of the table that an answer matches; undefined outside 4xx and 5xx. */
export function ruleOf(reply: Reply): ReplyRule | undefined {
  const code = String(reply.code);
  const enhanced = reply.enhanced ?? '';
  const text = wordsOf(reply.text);
  return REPLY_RULES.find(
    (rule) =>
      code.startsWith(rule.code) &&
      (!rule.enhanced || rule.enhanced.test(enhanced)) &&
      (!rule.text || rule.text.test(text)),
  );
}

/** What a refusing answer means for the message. */
export function classify(reply: Reply): Meaning {
  const rule = ruleOf(reply);
  // Outside 4xx and 5xx, where a refusal was expected, the server is out of step, which passes.
  if (!rule) return { action: 'deferred', reason: 'refused', hard: false };
  const { reason } = rule;
  if (rule.deferred || rule.code.startsWith('4')) return { action: 'deferred', reason, hard: false };
  return { action: 'bounced', reason, hard: HARD_REASONS.includes(reason) };
}

/**
 * Enhanced codes (RFC 3463) about an address, its mailbox or the number of recipients, so that other mails may go as before. With X.1.90,
 * Exchange Online says that the sender has used up a quota.
 */
const ABOUT_ONE_MAIL = /^[45]\.(?:1\.(?!90$)|2\.|5\.3$)/;

/** The state of the mail system itself (X.3), except that one mail is too large for it. */
const ABOUT_THE_HOP = /^4\.3\.[^4]/;
/** The same in words, as without enhanced codes. */
const LOCAL_FAULT = /\blocal (problem|error)|\binsufficient\b|\b(disk|storage|memory|resources)\b|\bunavailable\b/i;

/** What a refusal says about the hop itself; undefined if it may be about this mail alone. `reason` is what `classify` says about the reply. */
export function hopStateOf({ code, enhanced, text }: Reply, reason: ReasonCode): HopState | undefined {
  if (ABOUT_ONE_MAIL.test(enhanced ?? '')) return undefined;
  if (reason === 'throttled') return 'throttling';
  if (code === 421) return 'unable';
  const isAboutHop = enhanced ? ABOUT_THE_HOP.test(enhanced) : LOCAL_FAULT.test(text);
  return code < 500 && reason === 'refused' && isAboutHop ? 'unable' : undefined;
}

/** Whether a refusal is only temporary. An invalid answer is. */
export function isTemporaryRefusal(response: string): boolean {
  const reply = parseReply(response);
  return !reply || classify(reply).action === 'deferred';
}
