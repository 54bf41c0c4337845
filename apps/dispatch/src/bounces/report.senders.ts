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

/** A report by its type, or of what carries mail: somebody who passes a bounce on passes its parts on as well. */
export function isForMachines(header: OpenedMail['header']): boolean {
  return /multipart\/report/i.test(valueOf(header, 'content-type') ?? '') || isDaemon(header);
}

/** A report of which its type says that it is about no delivery, such as one of TLS (RFC 8460). Dovecot refuses by MDN (RFC 8098). */
export function isOtherReport(header: OpenedMail['header']): boolean {
  const type = /report-type="?([a-z-]+)/i.exec(valueOf(header, 'content-type') ?? '')?.[1];
  return type !== undefined && !/^(delivery-status|disposition-notification)$/i.test(type);
}

function localPartOf(from: string): string {
  const address = addressesIn(from)[0]?.address ?? from.replace(/[<>\s]/g, '');
  const at = address.lastIndexOf('@');
  return at < 0 ? address : address.slice(0, at);
}

/** What carries mail: a mail server, or the software of a mailing list that answers for itself. */
function isDaemon(header: OpenedMail['header']): boolean {
  if (valueOf(header, 'x-mlserver')) return true;
  const from = valueOf(header, 'from') ?? '';
  return DAEMON_ADDRESS.test(localPartOf(from)) || DAEMON_NAME.test(from) || /<\s?>\s*$/.test(from);
}

/** In a charset that it does not name, of a mail server: who has nothing to report writes no such mails. */
function isUnreadable(header: OpenedMail['header'], opening: string): boolean {
  return opening.includes('\ufffd') && DAEMON_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
}

function isOfList(header: OpenedMail['header']): boolean {
  return header.some(([name]) => name === 'list-unsubscribe' || name === 'list-id');
}

/** Of nobody who could be answered and in answer to nothing, or of a machine that brings our mail back. */
function isOfMachine(header: OpenedMail['header'], { original }: Notice): boolean {
  const path = header.find(([name]) => name === 'return-path')?.[1];
  const nobody = path !== undefined && /^<?(?:mailer-daemon[^<>]*)?>?$/i.test(path);
  const replied = /auto-replied/i.test(valueOf(header, 'auto-submitted') ?? '');
  const machine = MACHINE_ADDRESS.test(localPartOf(valueOf(header, 'from') ?? ''));
  return (nobody && !replied) || (machine && (nobody || original.length > 0));
}

/** Whether a mail without a part for machines reports a refusal: the sender, the envelope and the words have to agree. */
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
