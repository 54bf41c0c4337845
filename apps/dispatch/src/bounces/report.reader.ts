import { distinctAddresses } from '@lettermill/events';
import { addressIn, allAddresses } from './addresses';
import { feedbackKind, originalRecipients, readFeedback } from './feedback.report';
import { valueOf, valuesOf, type Field } from './fields';
import { noticeOf, originalMessageId, type Notice } from './notice';
import { openMail, type OpenedMail } from './opened.mail';
import { readRefusal } from './refusal';
import { recipientsOf } from './report.recipients';
import { isMachineReadable } from './report.senders';
import { complaintOf, type FoundRecipient, type Report, type ReportedRecipient, type ReportKind } from './report';
import { readSesNotification, type SesNotification } from './ses.notification';

/**
 * Reads an incoming mail: what it reports, about which recipients, and about which mail of ours. Without side effects, bounded, and
 * trusting nothing: any bytes give a report, of kind `none` if they are not one. `cameBack` tells whether one of the addresses that it was
 * sent to is a return path that we signed.
 */
export async function readReport(
  raw: Buffer,
  cameBack: (addresses: readonly string[]) => boolean = () => false,
): Promise<Report> {
  const mail = await openMail(raw);
  const notice = noticeOf(mail);
  const common = {
    originalMessageId: originalMessageId(mail.header, notice, mail.statuses.join('\n')),
    returnPaths: returnPathsOf(mail, notice),
    writtenAt: writtenAtOf(mail),
  };
  const feedback = mail.feedback !== null && isMachineReadable(mail.header) ? readFeedback(mail.feedback) : undefined;
  if (feedback) {
    const kind = feedbackKind(feedback.type);
    const named = feedback.recipients.map((address) => complaintOf(address, kind));
    const recipients = named.length > 0 ? named : complaintsOfOriginal(notice.original, kind);
    return { ...common, kind, recipients };
  }
  if (isHotmailComplaint(mail)) {
    const complaints = complaintsOfOriginal(mail.original, 'complaint');
    return { ...common, kind: 'complaint', recipients: complaints };
  }
  const ses = readSesNotification(mail.text);
  if (ses) return sesReport(ses, common);
  if (valueOf(mail.header, 'x-apple-unsubscribe') === 'true') {
    const from = addressIn(valueOf(mail.header, 'from'));
    return { ...common, kind: 'complaint', recipients: from === undefined ? [] : [complaintOf(from, 'complaint')] };
  }
  const found = recipientsOf(mail, notice, cameBack(common.returnPaths));
  return { ...common, kind: kindOf(found), ...byName(found) };
}

const YEAR_2000 = 946_684_800_000;

/**
 * By its own date; if there is none, or one of a zone or a month that is not read, by when the last server received it (RFC 5321 section
 * 4.4). A repeat has the same time then.
 */
function writtenAtOf({ header }: OpenedMail): number | null {
  const received = valueOf(header, 'received');
  const dates = [valueOf(header, 'date'), received?.slice(received.lastIndexOf(';') + 1)];
  const times = dates.map((date) => Date.parse((date ?? '').trim().slice(0, 100)));
  return times.find((at) => at > YEAR_2000) ?? null;
}

function complaintsOfOriginal(original: readonly Field[], kind: ReportKind): ReportedRecipient[] {
  const [address, ...others] = originalRecipients(original);
  if (address === undefined) return [];
  return [{ ...complaintOf(address, kind), ...(others.length > 0 && { forwardedFrom: others }) }];
}

type CommonFields = Pick<Report, 'originalMessageId' | 'returnPaths' | 'writtenAt'>;

function sesReport({ kind, recipients, originalMessageId }: SesNotification, common: CommonFields): Report {
  const reported = recipients.flatMap((one): ReportedRecipient[] => {
    const { address, status, diagnostic } = one;
    if (address === null) return [];
    if (kind === 'complaint' || kind === 'feedback') return [complaintOf(address, kind)];
    if (kind === 'delayed' || kind === 'delivered')
      return [{ address, kind, hard: false, status, reason: 'refused', diagnostic }];
    return [{ address, kind, ...readRefusal({ action: 'failed', status, diagnostic, words: '' }) }];
  });
  return { ...common, kind, recipients: reported, originalMessageId };
}

/** The complaint loop of Outlook.com sends only the mail, with the recipient in a field of its own. */
function isHotmailComplaint({ header, original }: OpenedMail): boolean {
  if (!valueOf(original, 'x-hmxmroriginalrecipient')) return false;
  return /^complaint about message/i.test(valueOf(header, 'subject') ?? '');
}

function byName(found: readonly FoundRecipient[]): Pick<Report, 'recipients' | 'unnamed'> {
  const recipients = found.flatMap((one) => (one.address === undefined ? [] : { ...one, address: one.address }));
  const unnamed = found.find(({ address }) => address === undefined);
  return unnamed ? { recipients, unnamed } : { recipients };
}

function kindOf(recipients: readonly FoundRecipient[]): ReportKind {
  const kinds: ReportKind[] = ['bounce', 'delayed', 'delivered'];
  return kinds.find((kind) => recipients.some((one) => one.kind === kind)) ?? 'none';
}

function returnPathsOf({ header }: OpenedMail, { original }: Notice): string[] {
  const to = valuesOf(header, 'x-original-to', 'envelope-to', 'delivered-to', 'x-envelope-to', 'to');
  const sent = valuesOf(original, 'return-path');
  return distinctAddresses(allAddresses([...to, ...sent]));
}
