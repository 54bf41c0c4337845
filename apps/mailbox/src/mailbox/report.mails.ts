import { VERSION } from '@lettermill/version';
import { TEST_DOMAIN } from './test.addresses';

/** A mail that was accepted, as far as reports name it. */
export interface ReportedMail {
  /** Sender of the envelope: reports go there. */
  sender: string;
  /** Its header, which names it by its Message-ID. */
  header: Buffer;
}

/** The mail that reports something: its id, and when it is written. */
export interface ReportStamp {
  id: string;
  at: Date;
}

interface ReportContent {
  /** The type of the report, and of the part that programs read. */
  type: 'delivery-status' | 'feedback-report';
  from: string;
  subject: string;
  text: string;
  fields: string[];
}

/** In whole seconds, rounded up: the report must not seem older than its mail. */
const dateOf = (at: Date): string => new Date(at.getTime() + 999).toUTCString().replace('GMT', '+0000');

/** A report by RFC 6522: for people, for programs, and the header of the mail that it is about. */
function reportOf({ sender, header }: ReportedMail, { id, at }: ReportStamp, content: ReportContent): Buffer {
  const { type, from, subject, text, fields } = content;
  const lines = [
    `From: ${from}`,
    `To: <${sender}>`,
    `Subject: ${subject}`,
    `Date: ${dateOf(at)}`,
    `Message-ID: <${id}@${TEST_DOMAIN}>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="${id}"`,
    '',
    `--${id}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    '',
    `--${id}`,
    `Content-Type: message/${type}`,
    '',
    ...fields,
    '',
    `--${id}`,
    'Content-Type: text/rfc822-headers',
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), header, Buffer.from(`\r\n--${id}--\r\n`)]);
}

/** RFC 6533: an address with other letters than ASCII has another type. */
const typed = (address: string): string => `${/^[\x20-\x7e]*$/.test(address) ? 'rfc822' : 'utf-8'}; ${address}`;

/** A delivery status notification (RFC 3464): a later server has no such mailboxes. */
export function returnReport(mail: ReportedMail, recipients: string[], stamp: ReportStamp): Buffer {
  return reportOf(mail, stamp, {
    type: 'delivery-status',
    from: `Mail Delivery System <mailer-daemon@${TEST_DOMAIN}>`,
    subject: 'Undelivered Mail Returned to Sender',
    text: `Your mail could not be delivered to ${recipients.join(', ')}: nobody has this mailbox.`,
    fields: [
      `Reporting-MTA: dns; ${TEST_DOMAIN}`,
      ...recipients.flatMap((address) => [
        '',
        `Final-Recipient: ${typed(address)}`,
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 Nobody has this mailbox.',
      ]),
    ],
  });
}

/** A feedback report (RFC 5965): the recipient says that the mail was unwanted. */
export function complaintReport(mail: ReportedMail, recipient: string, stamp: ReportStamp): Buffer {
  return reportOf(mail, stamp, {
    type: 'feedback-report',
    from: `Feedback loop <feedback@${TEST_DOMAIN}>`,
    subject: 'Complaint about your mail',
    text: `${recipient} says that your mail was unwanted.`,
    fields: [
      'Feedback-Type: abuse',
      `User-Agent: Lettermill-Mailbox/${VERSION}`,
      'Version: 1',
      `Original-Mail-From: <${mail.sender}>`,
      `Original-Rcpt-To: <${recipient}>`,
    ],
  });
}
