import { addressIn } from './addresses';
import { valueOf } from './fields';
import type { Notice } from './notice';
import {
  AUTO_REPLY,
  AUTO_REPLY_SUBJECT,
  DAEMON_ADDRESS,
  DAEMON_NAME,
  GATEWAY_ADDRESS,
  MACHINE_ADDRESS,
  REPORT_WORDS,
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

/** Whether it has no sender to reply to and is not a reply itself, or comes from a machine that returns our mail. */
function isFromMachine(header: OpenedMail['header'], { original }: Notice): boolean {
  const path = header.find(([name]) => name === 'return-path')?.[1];
  const hasNullSender = path !== undefined && /^<?(?:mailer-daemon[^<>]*)?>?$/i.test(path);
  const replied = /auto-replied/i.test(valueOf(header, 'auto-submitted') ?? '');
  const machine = MACHINE_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
  return (hasNullSender && !replied) || (machine && (hasNullSender || original.length > 0));
}

/** Whether a mail without a machine-readable part reports a refusal: the sender, the envelope and the words must agree. */
export function isRefusal({ header }: OpenedMail, notice: Notice): boolean {
  if (valueOf(header, 'x-failed-recipients')) return true;
  const subject = valueOf(header, 'subject') ?? '';
  const opening = notice.lines.slice(0, 60).join('\n');
  const inSubject = REFUSAL_PATTERNS.some((rule) => rule.test(subject));
  const inText = REFUSAL_PATTERNS.some((rule) => rule.test(opening));
  if (isUnreadable(header, opening)) return !AUTO_REPLY.test(subject);
  if (!(inSubject || inText) || (AUTO_REPLY.test(subject) && !inSubject)) return false;
  if (AUTO_REPLY_SUBJECT.test(subject) || UNRELATED_REPORT.test(subject)) return false;
  const local = localPartOf(valueOf(header, 'from') ?? '');
  const isAboutMail = notice.original.length > 0 || REPORT_WORDS.test(opening);
  if (isFromMailSystem(header)) return isAboutMail || DAEMON_ADDRESS.test(local) || !!valueOf(header, 'x-mlserver');
  if (GATEWAY_ADDRESS.test(local) && inSubject && inText) return true;
  return inText && REPORT_WORDS.test(opening) && !isFromList(header) && isFromMachine(header, notice);
}
