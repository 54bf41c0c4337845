import type { ReasonCode } from '@lettermill/problems';
import type { RecipientReply } from '@lettermill/events';
import type { AttemptEnd, CopyEnd, Envelope } from '../lifecycle/delivery';
import { classify, hopStateOf } from '../replies/reply.classify';
import { truncate, isAboutAddress, lineOf, parseReply, type Reply } from '../replies/reply';

/** How far a transaction got: the content is handed over once all of it was given to the socket, including the final dot. */
export type Stage = 'envelope' | 'content' | 'handed_over';

export interface Answer {
  recipient: string;
  response: string;
}

/** What happened between MAIL and the answer to the final dot; facts only. */
export interface Transaction {
  stage: Stage;
  /** The answer that ended it, verbatim; undefined if there was none. */
  response?: string;
  /** That answer was to MAIL: no recipient had been named yet. */
  atMail?: boolean;
  /** When its first command was sent, or the last answer to the previous mail arrived; milliseconds since the epoch. */
  begunAt?: number;
  /** The next mail is already on its way on the same connection. */
  followed?: boolean;
  /** When the hop asked for the content, in milliseconds since the epoch. */
  openedAt?: number;
  /** What broke, if no answer ended it. */
  broke?: string;
  /** We ended it ourselves, before anything was handed over. */
  aborted?: boolean;
  /** Recipients that were refused. */
  refused: Answer[];
  /** The answers to recipients, as far as there are any. */
  answers: Answer[];
}

/**
 * How the attempt ended. One transaction carries the message to all its recipients, and the main recipient decides:
 * - refused for now: nothing is handed over, so that a later attempt sends no copy twice; deferred, with the copies;
 * - refused for good: the copies that were accepted are still sent; bounced;
 * - accepted: the answer to the whole mail counts; refused copies do not get it, and `detail` says so.
 * Without a main recipient, each copy is on its own: those that are accepted get the mail, and the others wait or are refused. `copies`
 * says what became of each.
 * A 4xx answer after the final dot is clear: the server did not take the mail. An answer that is neither yes nor no leaves it open.
 * A connection that breaks before the dot was handed over cannot have delivered anything: deferred. One that breaks after it may have:
 * unknown.
 */
export function attemptEnd(transaction: Transaction, { main, to }: Envelope): AttemptEnd {
  const end = endOf(transaction, main);
  if (to.length === 1 && main !== null) return end;
  // An answer to the whole mail does not say which mailbox it is about.
  const hard = end.hard && transaction.refused.some(({ recipient }) => recipient === main);
  return { ...end, hard, recipients: recipientsOf(transaction, to), copies: copiesOf(transaction, main, to) };
}

/** Copies that were not refused share the outcome of the whole mail. */
function copiesOf(transaction: Transaction, main: string | null, to: string[]): CopyEnd[] {
  const whole = endOf(transaction, null);
  const refusals = new Map(transaction.refused.map(({ recipient, response }) => [recipient, response]));
  return to.flatMap((address) => {
    if (address === main) return [];
    const response = refusals.get(address);
    if (response === undefined) return [{ address, outcome: whole.outcome, reason: whole.reason }];
    const { outcome, reason, hard } = refusedEnd(response, transaction);
    return [{ address, outcome, reason, ...(hard && { hard }) }];
  });
}

/** `reply` is null if the connection broke before the answer. */
function recipientsOf({ answers }: Transaction, to: string[]): RecipientReply[] {
  const byAddress = new Map(answers.map(({ recipient, response }) => [recipient, response]));
  return to.map((address) => ({ address, reply: parseReply(byAddress.get(address) ?? '') ?? null }));
}

function endOf(transaction: Transaction, main: string | null): AttemptEnd {
  const mainRefusal = transaction.refused.find(({ recipient }) => recipient === main);
  if (mainRefusal) return refusedEnd(mainRefusal.response, transaction);
  if (transaction.response !== undefined) return answeredEnd(transaction.response, transaction);
  const broke = transaction.broke ?? 'the connection broke';
  if (transaction.stage === 'handed_over') return { ...uncertainEnd(broke, null), hop: 'unable' };
  return { ...deferredEnd('next_hop_unavailable', `${broke} before the mail was handed over.`, null), hop: 'unable' };
}

function uncertainEnd(what: string, reply: Reply | null): AttemptEnd {
  const detail = `${what} after the mail was handed over: it may have been delivered.`;
  return { outcome: 'unknown', reply, reason: { code: 'uncertain', detail }, hard: false, detail };
}

function answeredEnd(response: string, transaction: Transaction): AttemptEnd {
  const reply = parseReply(response);
  if (reply && reply.code >= 400) {
    const end = refusedEnd(response, transaction);
    // Not an answer to RCPT: its words alone prove nothing about the address (docs/adr/0013).
    return { ...end, hard: end.hard && !transaction.atMail && isAboutAddress(reply) };
  }
  if (transaction.stage !== 'handed_over') {
    return deferredEnd('next_hop_unavailable', 'The next hop answered before it had the whole mail.', reply ?? null);
  }
  // Neither yes nor no: the hop has the mail, and may deliver it.
  if (!reply || reply.code >= 300) return uncertainEnd('The next hop gave an invalid answer', reply ?? null);
  const detail = copyRefusals(transaction);
  return { outcome: 'sent', reply, reason: null, hard: false, ...(detail ? { detail } : {}) };
}

function refusedEnd(response: string, transaction: Transaction): AttemptEnd {
  const reply = parseReply(response);
  if (!reply) return deferredEnd('next_hop_unavailable', 'The next hop gave an invalid answer.', null);
  const { action, reason, hard } = classify(reply);
  const detail = action === 'bounced' ? copyRefusals(transaction) : undefined;
  const hop = hopStateOf(reply, reason);
  return {
    outcome: action,
    reply,
    reason: { code: reason, detail: lineOf(reply) },
    hard,
    ...(hop && { hop }),
    ...(detail ? { detail } : {}),
  };
}

function copyRefusals({ refused }: Transaction): string | undefined {
  if (refused.length === 0) return undefined;
  return truncate(`refused: ${refused.map(({ recipient, response }) => `${recipient} (${response})`).join('; ')}`);
}

/** The attempt failed, but not because of the message. */
export function deferredEnd(code: ReasonCode, detail: string, reply: Reply | null): AttemptEnd {
  return { outcome: 'deferred', reply, reason: { code, detail }, hard: false, detail };
}

/** The mail cannot be sent to this hop at all. */
export function unsendableEnd(code: ReasonCode, detail: string): AttemptEnd {
  return { outcome: 'failed', reply: null, reason: { code, detail }, hard: false, detail };
}

/**
 * An answer to MAIL: the hop wants the commands in a different order, whatever the mail (RFC 5321 section 4.2.3, RFC 3463 X.5.0 and X.5.1).
 */
const OUT_OF_STEP = /^5(?:0[03](?:[ \n-]|$)|\d\d[ -]5\.5\.[01](?!\d))/;
/** The same in words: `554 SMTP synchronization error` (Exim). */
const OUT_OF_STEP_WORDS = /^5[^]*\b(?:synchroni[sz]|pipelin)/i;

/** The hop refused the conversation, not the message. */
export function isOutOfStep({ response, atMail }: Transaction): boolean {
  if (atMail !== true || response === undefined) return false;
  return OUT_OF_STEP.test(response) || OUT_OF_STEP_WORDS.test(response);
}

/** The hop said nothing about this message. */
export function wasNeverBegun(transaction: Transaction): boolean {
  const { stage, response, refused } = transaction;
  if (stage !== 'envelope' || refused.length > 0) return false;
  return response === undefined || response.startsWith('421') || isOutOfStep(transaction);
}

/** The server ends the connection. */
export const CLOSING = /^421(?:[ \n-]|$)/;
/** A 4xx answer to MAIL, unless it is about the sender's address (RFC 3463, X.1.*). */
const REFUSED_FOR_NOW = /^4\d\d(?![ -]4\.1\.)/;

/** The hop takes no mail from anybody for now, or none on this connection. */
export function isRefusedForNow({ response, atMail }: Transaction): boolean {
  return atMail === true && response !== undefined && REFUSED_FOR_NOW.test(response);
}

/** The hop has taken the mail. */
export function wasAccepted({ stage, response }: Transaction): boolean {
  return stage === 'handed_over' && response !== undefined && response.startsWith('2');
}

/** The hop wants less from us: it closes a connection in use, or takes no mail from anybody for now. */
export function isOverload(transaction: Transaction): boolean {
  const { response } = transaction;
  return response !== undefined && (CLOSING.test(response) || isRefusedForNow(transaction));
}
