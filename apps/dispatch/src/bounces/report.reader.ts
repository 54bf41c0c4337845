import { addressesIn, distinctAddresses, sameAddress } from './addresses';
import { isComplaint, originalRecipients, readFeedback } from './feedback.report';
import { valueOf, valuesOf } from './fields';
import { contextOf, noticeOf, originsOf, originalMessageId, refusedIn, type Notice, type Refused } from './notice';
import {
  AUTO_REPLY,
  AWAY,
  DAEMON_ADDRESS,
  DAEMON_NAME,
  GATEWAY_ADDRESS,
  GIVEN_UP,
  MACHINE_ADDRESS,
  OF_MAIL,
  OTHER_REPORT,
  REFUSED,
  STILL_TRYING,
} from './notice.rules';
import { openMail, type OpenedMail } from './opened.mail';
import { readRefusal } from './refusal';
import type { Report, ReportedRecipient, ReportKind } from './report';
import { readSesNotification, type SesNotification } from './ses.notification';
import { distinctStatuses, readStatusReport, type RecipientStatus } from './status.report';

/**
 * Reads a mail that came in: what it reports, about which recipients, and of which mail of ours. Pure, bounded, and without
 * trust: any bytes give a report, `none` where they are no report.
 */
export async function readReport(raw: Buffer): Promise<Report> {
  const mail = await openMail(raw);
  const notice = noticeOf(mail);
  const about = {
    originalMessageId: originalMessageId(mail.header, notice, mail.statuses.join('\n')),
    returnPaths: returnPathsOf(mail, notice),
    writtenAt: writtenAtOf(mail),
  };
  const feedback =
    mail.feedback !== null && isForMachines(mail.header) ? readFeedback(mail.feedback, notice.original) : undefined;
  if (feedback) {
    const kind = isComplaint(feedback) ? 'complaint' : 'feedback';
    const recipients = feedback.recipients.map((address) => complaintOf(address, kind));
    return { ...about, kind, recipients, feedbackType: feedback.type };
  }
  if (isHotmailComplaint(mail)) {
    const told = originalRecipients(mail.original).map((address) => complaintOf(address, 'complaint'));
    return { ...about, kind: 'complaint', recipients: told, feedbackType: 'abuse' };
  }
  const ses = readSesNotification(mail.text);
  if (ses) return sesReport(ses, about);
  if (valueOf(mail.header, 'x-apple-unsubscribe') === 'true') {
    const told = addressesIn(valueOf(mail.header, 'from') ?? '').map(({ address }) =>
      complaintOf(address, 'complaint'),
    );
    return { ...about, kind: 'complaint', recipients: told.slice(0, 1), feedbackType: 'opt-out' };
  }
  const recipients = recipientsOf(mail, notice);
  return { ...about, kind: kindOf(recipients), recipients, feedbackType: null };
}

const YEAR_2000 = 946_684_800_000;

function writtenAtOf({ header }: OpenedMail): number | null {
  const at = Date.parse((valueOf(header, 'date') ?? '').slice(0, 100));
  return at > YEAR_2000 ? at : null;
}

function complaintOf(address: string, kind: ReportKind): ReportedRecipient {
  return { address, kind, hard: false, status: null, reason: 'complained', diagnostic: '' };
}

type About = Pick<Report, 'originalMessageId' | 'returnPaths' | 'writtenAt'>;

function sesReport({ kind, recipients, original }: SesNotification, about: About): Report {
  const told = recipients.flatMap((one): ReportedRecipient[] => {
    const { address, status, diagnostic } = one;
    if (address === null) return [];
    if (kind === 'complaint') return [complaintOf(address, kind)];
    if (kind === 'delivered') return [{ address, kind, hard: false, status, reason: 'refused', diagnostic }];
    return [{ address, kind, ...readRefusal({ action: 'failed', status, diagnostic, words: '' }) }];
  });
  const originalId = valueOf(original, 'message-id');
  const originalMessageId = originalId === undefined ? null : originalId.replace(/^<?([^<>]*)>?$/, '<$1>');
  const feedbackType = kind === 'complaint' ? 'abuse' : null;
  return { ...about, kind, recipients: told, originalMessageId, feedbackType };
}

/** The complaint loop of Outlook.com sends the mail alone, with the recipient in a field of its own. */
function isHotmailComplaint({ header, original }: OpenedMail): boolean {
  if (!valueOf(original, 'x-hmxmroriginalrecipient')) return false;
  return /^complaint about message/i.test(valueOf(header, 'subject') ?? '');
}

function kindOf(recipients: readonly ReportedRecipient[]): ReportKind {
  const kinds: ReportKind[] = ['bounce', 'delayed', 'delivered'];
  return kinds.find((kind) => recipients.some((one) => one.kind === kind)) ?? 'none';
}

function returnPathsOf({ header }: OpenedMail, { original }: Notice): string[] {
  const to = valuesOf(header, 'x-original-to', 'envelope-to', 'delivered-to', 'x-envelope-to', 'to');
  const sent = valuesOf(original, 'return-path');
  return distinctAddresses([...to, ...sent].flatMap((value) => addressesIn(value).map(({ address }) => address)));
}

function recipientsOf(mail: OpenedMail, notice: Notice): ReportedRecipient[] {
  const statuses = isForMachines(mail.header) ? mail.statuses : [];
  const stated = statuses.length > 0 ? statuses : statusesInText(mail);
  const told = distinctStatuses(stated.flatMap(readStatusReport));
  if (told.length > 0) {
    const inWords = { refused: refusedIn(mail.header, notice), notice, alone: told.length === 1 };
    return told.flatMap((status) => ofStatus(status, inWords));
  }
  if (isOtherReport(mail.header) || (statuses.length === 0 && !isRefusal(mail, notice))) return [];
  const all = notice.lines.join('\n');
  const subject = valueOf(mail.header, 'subject') ?? '';
  const delayed = STILL_TRYING.test(`${subject}\n${all}`) && !GIVEN_UP.test(all);
  const action = delayed ? 'delayed' : 'failed';
  const refused = refusedIn(mail.header, notice);
  return refused.map(({ address, ...told }) => {
    const refusal = readRefusal({ action, status: null, diagnostic: '', ...told });
    const origins = originsOf(told.words, refused.length === 1 ? notice.original : []);
    return { address, ...forwardedFrom(address, origins), kind: delayed ? 'delayed' : 'bounce', ...refusal };
  });
}

/** A report by its type, or of what carries mail: somebody who passes a bounce on passes its parts on as well. */
function isForMachines(header: OpenedMail['header']): boolean {
  return /multipart\/report/i.test(valueOf(header, 'content-type') ?? '') || isDaemon(header);
}

/** A report of which its type says that it is about no delivery, such as one of TLS (RFC 8460). Dovecot refuses by MDN (RFC 8098). */
function isOtherReport(header: OpenedMail['header']): boolean {
  const type = /report-type="?([a-z-]+)/i.exec(valueOf(header, 'content-type') ?? '')?.[1];
  return type !== undefined && !/^(delivery-status|disposition-notification)$/i.test(type);
}

/** Some servers write the fields for machines into the text for people, or break the boundaries of the parts. */
function statusesInText({ text, header, source }: OpenedMail): string[] {
  if (/disposition-notification/i.test(valueOf(header, 'content-type') ?? '') || !isForMachines(header)) return [];
  for (const searched of [text, source]) {
    const at = searched.search(/^(?:final|original)-recipient:/im);
    const before = at < 0 ? -1 : searched.lastIndexOf('\n\n', at);
    if (at >= 0) return [searched.slice(Math.max(before, 0)).replace(/\n--[^\n]*\n[\s\S]*$/, '\n')];
  }
  return [];
}

/** What the words for people say beside the fields for machines. */
interface InWords {
  refused: readonly Refused[];
  notice: Notice;
  /** There is one recipient. */
  alone: boolean;
}

function ofStatus(told: RecipientStatus, { refused, notice, alone }: InWords): ReportedRecipient[] {
  const address = told.address ?? (alone ? refused[0]?.address : undefined);
  if (address === undefined) return [];
  const { action, status, diagnostic, original } = told;
  if (action === 'delivered')
    return [{ address, kind: 'delivered', hard: false, status, reason: 'refused', diagnostic }];
  const own = refused.find((one) => sameAddress(one.address, address))?.words;
  const origins = [
    ...(original === undefined ? [] : [original]),
    ...originsOf(own ?? '', alone ? notice.original : []),
  ];
  const context = alone ? { context: contextOf(notice.lines) } : {};
  const refusal = readRefusal({ action, status, diagnostic, words: own ?? context.context ?? '', ...context });
  const kind = action === 'delayed' ? 'delayed' : 'bounce';
  return [{ address, ...forwardedFrom(address, origins), kind, ...refusal }];
}

function forwardedFrom(address: string, origins: readonly string[]): Pick<ReportedRecipient, 'forwardedFrom'> {
  const others = distinctAddresses(origins).filter((one) => !sameAddress(one, address));
  return others.length === 0 ? {} : { forwardedFrom: others };
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

/** Whether a mail without a part for machines reports a refusal: the sender, the envelope and the words have to agree. */
function isRefusal({ header }: OpenedMail, notice: Notice): boolean {
  if (valueOf(header, 'x-failed-recipients')) return true;
  const subject = valueOf(header, 'subject') ?? '';
  const opening = notice.lines.slice(0, 60).join('\n');
  const inSubject = REFUSED.some((rule) => rule.test(subject));
  const inText = REFUSED.some((rule) => rule.test(opening));
  if (!(inSubject || inText) || (AUTO_REPLY.test(subject) && !inSubject)) return false;
  if (AWAY.test(subject) || OTHER_REPORT.test(subject)) return false;
  const local = localPartOf(valueOf(header, 'from') ?? '');
  const ofMail = notice.original.length > 0 || OF_MAIL.test(opening);
  if (isDaemon(header)) return ofMail || DAEMON_ADDRESS.test(local) || !!valueOf(header, 'x-mlserver');
  if (GATEWAY_ADDRESS.test(local) && inSubject && inText) return true;
  const path = header.find(([name]) => name === 'return-path')?.[1];
  const nobody = path !== undefined && /^<?(?:mailer-daemon[^<>]*)?>?$/i.test(path);
  const replied = /auto-replied/i.test(valueOf(header, 'auto-submitted') ?? '');
  const machine = MACHINE_ADDRESS.test(local);
  const returned = notice.original.length > 0 || nobody;
  const list = header.some(([name]) => name === 'list-unsubscribe' || name === 'list-id');
  if (list || !inText || !OF_MAIL.test(opening)) return false;
  return (nobody && !replied) || (machine && returned);
}
