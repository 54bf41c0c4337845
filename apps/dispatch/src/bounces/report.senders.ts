import { addressIn } from './addresses';
import { valueOf } from './fields';
import type { Notice } from './notice';
import {
  AUTO_REPLY,
  AUTO_REPLY_SUBJECT,
  CHALLENGE,
  DAEMON_ADDRESS,
  DAEMON_NAME,
  ENGLISH_WORDS,
  GATEWAY_ADDRESS,
  MACHINE_ADDRESS,
  REPORT_WORDS,
  STILL_TRYING,
  UNRELATED_REPORT,
  REFUSAL_PATTERNS,
} from './notice.rules';
import type { OpenedMail } from './opened.mail';

/**
 * Whether its machine-readable parts count: it is a report by type, or comes from a mail system. A person who forwards a bounce forwards
 * its parts as well.
 */
export function isMachineReadable(header: OpenedMail['header']): boolean {
  return /multipart\/report/i.test(valueOf(header, 'content-type') ?? '') || isFromMailSystem(header);
}

/** Whether the report's type says that it is not about a delivery, like a TLS report (RFC 8460). Dovecot refuses by MDN (RFC 8098). */
export function isUnrelatedReport(header: OpenedMail['header']): boolean {
  const type = /report-type="?([a-z-]+)/i.exec(valueOf(header, 'content-type') ?? '')?.[1];
  return type !== undefined && !/^(delivery-status|disposition-notification)$/i.test(type);
}

function localPartOf(from: string): string {
  const address = addressIn(from) ?? from.replace(/[<>\s]/g, '');
  const at = address.lastIndexOf('@');
  return at < 0 ? address : address.slice(0, at);
}

/** Whether it comes from a mail system: a mail server, or mailing list software that answers for itself. */
function isFromMailSystem(header: OpenedMail['header']): boolean {
  if (valueOf(header, 'x-mlserver')) return true;
  const from = valueOf(header, 'from') ?? '';
  return DAEMON_ADDRESS.test(localPartOf(from)) || DAEMON_NAME.test(from) || /<\s?>\s*$/.test(from);
}

/** Whether it comes from a mail server, in a charset that it does not name: a server with nothing to report sends no such mails. */
function isUnreadable(header: OpenedMail['header'], opening: string): boolean {
  return opening.includes('\ufffd') && DAEMON_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
}

function isFromList(header: OpenedMail['header']): boolean {
  return header.some(([name]) => name === 'list-unsubscribe' || name === 'list-id');
}

/** Whether it has no sender to reply to; undefined if its header does not show that. */
function hasNullSender(header: OpenedMail['header']): boolean | undefined {
  const path = header.find(([name]) => name === 'return-path')?.[1];
  return path === undefined ? undefined : /^<?(?:mailer-daemon[^<>]*)?>?$/i.test(path);
}

/** Whether it has no sender to reply to and is not a reply itself, or comes from a machine that returns our mail. */
function isFromMachine(header: OpenedMail['header'], { original }: Notice): boolean {
  const nobody = hasNullSender(header) ?? false;
  const replied = /auto-replied/i.test(valueOf(header, 'auto-submitted') ?? '');
  const machine = MACHINE_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
  return (nobody && !replied) || (machine && (nobody || original.length > 0));
}

const openingOf = ({ lines }: Notice) => lines.slice(0, 60).join('\n');

/** Whether it returns our mail, or has words for mails. */
function isAboutMail(notice: Notice): boolean {
  return notice.original.length > 0 || REPORT_WORDS.test(openingOf(notice));
}

/** Whether a refusal counts even if it names no address: others than mail servers report on parcels in the same words. */
export function mayNameNobody({ header }: OpenedMail, notice: Notice): boolean {
  const isDaemon = DAEMON_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
  return (isDaemon || (isFromMailSystem(header) && hasNullSender(header) === true)) && isAboutMail(notice);
}

/** A code by which a server says that it still tries. */
const TEMPORARY_CODE = /(?<![\d.])4\.\d{1,3}\.\d{1,3}(?![\d.])/;

/**
 * Whether a mail server gives our mail back to no sender, in a language whose words are not known. It would not do so without a refusal; in
 * English the words decide. MAILER-DAEMON is nobody's address, also if the mail does not show that it has no sender.
 */
function givesBack(header: OpenedMail['header'], notice: Notice, cameBack: boolean): boolean {
  const local = localPartOf(valueOf(header, 'from') ?? '');
  const fromServer = DAEMON_ADDRESS.test(local) && (hasNullSender(header) ?? /^mailer-?daemon$/i.test(local));
  const text = `${valueOf(header, 'subject') ?? ''}\n${openingOf(notice)}`;
  const known = (text.match(ENGLISH_WORDS) ?? []).length > 2 || STILL_TRYING.test(text) || TEMPORARY_CODE.test(text);
  return fromServer && (cameBack || notice.original.length > 0) && !known && !isFromList(header);
}

/** A server that refused the mail says so by a code. */
const REPLY_OR_STATUS = /\b[45]\d\d[ -]|\b[45]\.\d{1,2}\.\d{1,3}\b/;

const isChallenge = (opening: string) => CHALLENGE.test(opening) && !REPLY_OR_STATUS.test(opening);

/**
 * Whether a mail without a machine-readable part reports a refusal: the sender, the envelope and the words must agree. `cameBack`: it was
 * sent to a return path that we signed.
 */
export function isRefusal({ header }: OpenedMail, notice: Notice, cameBack: boolean): boolean {
  if (valueOf(header, 'x-failed-recipients')) return true;
  const subject = valueOf(header, 'subject') ?? '';
  const opening = openingOf(notice);
  const inSubject = REFUSAL_PATTERNS.some((rule) => rule.test(subject));
  const inText = REFUSAL_PATTERNS.some((rule) => rule.test(opening));
  if (isUnreadable(header, opening)) return !AUTO_REPLY.test(subject);
  if (AUTO_REPLY_SUBJECT.test(subject) || UNRELATED_REPORT.test(subject) || isChallenge(opening)) return false;
  if (AUTO_REPLY.test(subject) && !inSubject) return false;
  if (!(inSubject || inText)) return givesBack(header, notice, cameBack);
  const local = localPartOf(valueOf(header, 'from') ?? '');
  if (isFromMailSystem(header))
    return isAboutMail(notice) || DAEMON_ADDRESS.test(local) || !!valueOf(header, 'x-mlserver');
  if (GATEWAY_ADDRESS.test(local) && inSubject && inText) return true;
  return inText && REPORT_WORDS.test(opening) && !isFromList(header) && isFromMachine(header, notice);
}
