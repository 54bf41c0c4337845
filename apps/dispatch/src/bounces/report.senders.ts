import { addressesIn } from './addresses';
import { valueOf } from './fields';
import type { Notice } from './notice';
import {
  AUTO_REPLY,
  AWAY,
  DAEMON_ADDRESS,
  DAEMON_NAME,
  GATEWAY_ADDRESS,
  MACHINE_ADDRESS,
  OF_MAIL,
  OTHER_REPORT,
  REFUSED,
} from './notice.rules';
import type { OpenedMail } from './opened.mail';

/**
 * Whether its machine-readable parts count: it is a report by type, or comes from a mail system. A person who forwards a bounce forwards
 * its parts as well.
 */
export function isForMachines(header: OpenedMail['header']): boolean {
  return /multipart\/report/i.test(valueOf(header, 'content-type') ?? '') || isDaemon(header);
}

/** Whether the report's type says that it is not about a delivery, like a TLS report (RFC 8460). Dovecot refuses by MDN (RFC 8098). */
export function isOtherReport(header: OpenedMail['header']): boolean {
  const type = /report-type="?([a-z-]+)/i.exec(valueOf(header, 'content-type') ?? '')?.[1];
  return type !== undefined && !/^(delivery-status|disposition-notification)$/i.test(type);
}

function localPartOf(from: string): string {
  const address = addressesIn(from)[0]?.address ?? from.replace(/[<>\s]/g, '');
  const at = address.lastIndexOf('@');
  return at < 0 ? address : address.slice(0, at);
}

/** Whether it comes from a mail system: a mail server, or mailing list software that answers for itself. */
function isDaemon(header: OpenedMail['header']): boolean {
  if (valueOf(header, 'x-mlserver')) return true;
  const from = valueOf(header, 'from') ?? '';
  return DAEMON_ADDRESS.test(localPartOf(from)) || DAEMON_NAME.test(from) || /<\s?>\s*$/.test(from);
}

/** Whether it comes from a mail server, in a charset that it does not name: a server with nothing to report sends no such mails. */
function isUnreadable(header: OpenedMail['header'], opening: string): boolean {
  return opening.includes('\ufffd') && DAEMON_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
}

function isOfList(header: OpenedMail['header']): boolean {
  return header.some(([name]) => name === 'list-unsubscribe' || name === 'list-id');
}

/** Whether it has no sender to reply to and is not a reply itself, or comes from a machine that returns our mail. */
function isOfMachine(header: OpenedMail['header'], { original }: Notice): boolean {
  const path = header.find(([name]) => name === 'return-path')?.[1];
  const nobody = path !== undefined && /^<?(?:mailer-daemon[^<>]*)?>?$/i.test(path);
  const replied = /auto-replied/i.test(valueOf(header, 'auto-submitted') ?? '');
  const machine = MACHINE_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
  return (nobody && !replied) || (machine && (nobody || original.length > 0));
}

/** Whether a mail without a machine-readable part reports a refusal: the sender, the envelope and the words must agree. */
export function isRefusal({ header }: OpenedMail, notice: Notice): boolean {
  if (valueOf(header, 'x-failed-recipients')) return true;
  const subject = valueOf(header, 'subject') ?? '';
  const opening = notice.lines.slice(0, 60).join('\n');
  const inSubject = REFUSED.some((rule) => rule.test(subject));
  const inText = REFUSED.some((rule) => rule.test(opening));
  if (isUnreadable(header, opening)) return !AUTO_REPLY.test(subject);
  if (!(inSubject || inText) || (AUTO_REPLY.test(subject) && !inSubject)) return false;
  if (AWAY.test(subject) || OTHER_REPORT.test(subject)) return false;
  const local = localPartOf(valueOf(header, 'from') ?? '');
  const ofMail = notice.original.length > 0 || OF_MAIL.test(opening);
  if (isDaemon(header)) return ofMail || DAEMON_ADDRESS.test(local) || !!valueOf(header, 'x-mlserver');
  if (GATEWAY_ADDRESS.test(local) && inSubject && inText) return true;
  return inText && OF_MAIL.test(opening) && !isOfList(header) && isOfMachine(header, notice);
}
