import type { ReasonCode } from '@lettermill/problems';
import { classify } from '../replies/reply.classify';
import { truncate, isAboutAddress, type Reply } from '../replies/reply';
import { stageOf } from './refusal.stage';

/** What a report says about a refused recipient. */
export interface ReportedRefusal {
  hard: boolean;
  status: string | null;
  reason: ReasonCode;
  diagnostic: string;
}

/** A reply code in running text: not part of an address, a date or a larger number. */
const REPLY_CODE = /(?:^|[\s:;'"(<#>=[,|])(?:#)?(4[2-7]\d|5[0-7]\d)(?=[\s:;,'"\-–=.]|$)(?!\.\d)/m;
const ENHANCED_CODE =
  /(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?![\d.]|\s{0,2}\))|\(?#\s?([45]\.\d{1,3}\.\d{1,3})|(?<!\d)[45]\d\d \(?([45]\.\d{1,3}\.\d{1,3})\)/;
/** An enhanced code that says no more than its class. */
const UNSPECIFIC_CODE = /^[45]\.0\.0$/;

/** An answer that names the recipient, without an enhanced code that says something else. */
const NAMES_RECIPIENT =
  /(?:^|\s)55[03][\s:-]{1,3}(?:<[^<>\s]{1,320}>\s?(?::|\.\.\.)\s?(?:user unknown|unknown user|no such user)\b|[^<>\s@]{1,64}@[^<>\s@]{1,255} unknown user account\b|(?:user unknown|unknown user|no such user)\s{1,3}<[^<>\s]{1,320}>)/i;

/** "User not local" (RFC 5321 section 4.2.3) is only ever an answer about a recipient. */
const USER_NOT_LOCAL = 551;

export interface StatedRefusal {
  action: 'failed' | 'delayed';
  /** The status in the report; null if it has none. */
  status: string | null;
  /** What the refusing server said; may be empty. */
  diagnostic: string;
  /** The text for people about this recipient; may be empty. */
  words: string;
  /** All words of the report, if they are about this recipient alone. */
  context?: string;
}

/** Sentences about possible causes or things to check, not about what was found. */
const ADVICE =
  /\b(?:please (?:check|verify|make sure)|check (?:that|whether|if|for)\b|if (?:the problem|you)|(?:may|might|could) be (?:unknown|invalid|misspelled|wrong|incorrect|full)|(?:common|possible) (?:causes|errors|reasons))/i;

/** What scanners write below a text that they let through. */
const SCANNER_FOOTER =
  /\bno virus(?:es)? (?:was |were )?(?:found|detected)|^_{6,}.*virus|\b(?:checked|scanned|analy[sz]ed|analizado|gepr.ft)\b(?!.*(?:found|contain|detect|infect|reject|block|refus)).{0,40}virus/i;

/** The sentences that say what was found. */
function withoutAdvice(words: string): string {
  return words
    .split(/(?<=[.\n])/)
    .filter((sentence) => !(ADVICE.test(sentence) || SCANNER_FOOTER.test(sentence)) || hasCode(sentence))
    .join('');
}

const hasCode = (text: string) => REPLY_CODE.test(text) || ENHANCED_CODE.test(text);
const isInformative = (diagnostic: string) => hasCode(diagnostic) || diagnostic.length > 15;
/** A status that needs no words: text added by a person, a scanner or a footer may say anything. */
const isSpecificStatus = (status: string | null) =>
  status !== null && /^[45]\.(1\.[0-36]|2\.[1-3]|4\.[47])$/.test(status);

/** Sendmail puts the answer below the address; the transcript that follows ends with its own words, which may say something else. */
const SENDMAIL_REASON = /^\s{1,20}\(reason: ([^\n]{5,500})\)\s*$/m;

/** The reply that a text reports, as far as it can be recognised: code and enhanced code may be derived from each other. */
function replyIn({ action, status, diagnostic: told, words }: StatedRefusal): Reply {
  const diagnostic = isInformative(told) ? told : (SENDMAIL_REASON.exec(words)?.[1] ?? told);
  const diagnosticSuffices = isInformative(diagnostic) || (isSpecificStatus(status) && !hasCode(words));
  const source = diagnosticSuffices ? diagnostic : `${diagnostic}\n${withoutAdvice(words)}`;
  const [, bare, hashed, enclosed] = ENHANCED_CODE.exec(source) ?? [];
  const codeInText = bare ?? hashed ?? enclosed ?? null;
  const stated = status && !UNSPECIFIC_CODE.test(status) ? status : null;
  const enhanced =
    (codeInText && !UNSPECIFIC_CODE.test(codeInText) ? codeInText : null) ?? stated ?? codeInText ?? status;
  const code = REPLY_CODE.exec(source)?.[1];
  const defaultCode = action === 'delayed' || (code === undefined && enhanced?.startsWith('4')) ? 450 : 550;
  return {
    code: code === undefined || action === 'delayed' ? defaultCode : Number(code),
    enhanced,
    text: source.replace(/\s+/g, ' '),
  };
}

/** Cisco gateways put their own words before what the next server said: `5.1.0 - Unknown address error 550-'5.7.1 …'`. */
const QUOTED_REPLY = /^[45]\.\d{1,3}\.\d{1,3} - [^'"\n]{1,80}?(?:([45]\d\d)-)?['"]([^'"\n]{5,})['"]/;

function unquoted(diagnostic: string): string {
  const [, code, said] = QUOTED_REPLY.exec(diagnostic) ?? [];
  return said === undefined ? diagnostic : `${code ?? '550'} ${said}`;
}

/**
 * Filters that refuse the content often say "user unknown" about users that exist. So if an answer is not known to be about the recipient,
 * its enhanced code must say that it is; what the reporting server found itself always counts.
 */
function isAboutMailbox(refusal: StatedRefusal, reply: Reply, reason: ReasonCode): boolean {
  const words = refusal.context ?? refusal.words;
  const stage = stageOf(refusal.diagnostic, words);
  if (stage === 'content') return isAboutAddress(reply);
  if (stage !== 'unknown' || reason !== 'mailbox_unknown') return stage !== 'sender';
  if (reply.code === USER_NOT_LOCAL || NAMES_RECIPIENT.test(refusal.diagnostic || refusal.words)) return true;
  return /^[45]\.[14]\.\d+$/.test(reply.enhanced ?? '') || !REPLY_CODE.test(`${refusal.diagnostic}\n${words}`);
}

export function readRefusal(report: StatedRefusal): ReportedRefusal {
  const refusal = { ...report, diagnostic: unquoted(report.diagnostic) };
  let reply = replyIn(refusal);
  if (refusal.context !== undefined && classify(reply).reason === 'refused') {
    reply = replyIn({ ...refusal, words: refusal.context });
  }
  const meaning = classify(reply);
  const finallyUnknown = meaning.reason === 'mailbox_unknown' && reply.code < 500;
  const hard =
    refusal.action === 'failed' && (meaning.hard || finallyUnknown) && isAboutMailbox(refusal, reply, meaning.reason);
  const diagnostic = truncate((refusal.diagnostic || refusal.words).replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim());
  const gaveUp = refusal.action === 'failed' && reply.code < 500 && meaning.reason === 'refused';
  return { hard, status: reply.enhanced, reason: gaveUp ? 'given_up' : meaning.reason, diagnostic };
}
