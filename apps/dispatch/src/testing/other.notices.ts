import { mail } from './bounce.parts';

/** More mails that report no bounce: what people's mailboxes, mailing lists, gateways and parcel services send automatically. */

const TO = 'To: bounce+token@mail.example.com';
const ADA = 'Ada <ada@example.org>';

function notice(from: string, subject: string, text: string, ...fields: string[]): string {
  return mail(...fields, `From: ${from}`, TO, `Subject: ${subject}`, '', ...text.split('\n'));
}

function report(from: string, subject: string, type: string, text: string, ...part: string[]): string {
  return mail(
    'Return-Path: <>',
    `From: ${from}`,
    TO,
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary=b`,
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    text,
    '',
    '--b',
    ...part,
    '--b--',
    '',
  );
}

const ABSENCE_NOTE =
  'I am away. Your message is not delivered to anybody else; my mailbox is full. Write to bob@example.org.';
const ABSENCE_SUBJECTS = [
  'Out of Office',
  'Abwesenheitsnotiz',
  'Réponse automatique',
  'Respuesta automática',
  'Risposta automatica',
  '自動返信',
  '自动回复',
  'Автоответ',
  'Automatisch antwoord',
  'Autosvar',
  'Re',
  'Auto',
];

export const OTHER_NOTICES: Record<string, string> = {
  ...Object.fromEntries(
    ABSENCE_SUBJECTS.map((subject) => [
      `an absence, «${subject}»`,
      notice(ADA, `${subject}: Your order`, ABSENCE_NOTE, 'Return-Path: <>', 'Auto-Submitted: auto-replied'),
    ]),
  ),
  'somebody who has left, of their own mailbox': notice(
    ADA,
    'Automatic reply: Your order',
    'Ada has left. This address is no longer valid and your message could not be delivered.',
    'Return-Path: <>',
    'Auto-Submitted: auto-replied',
  ),
  'an answer by itself that names another mailbox': notice(
    ADA,
    'Re: Your order',
    'Your message could not be delivered to my old mailbox:\nbob@example.org',
    'Return-Path: <>',
    'Auto-Submitted: auto-replied',
  ),
  'a challenge': notice(
    'notify@waiting.example',
    'Your message to ada@example.org was not yet delivered (Action Required)',
    'It waits, for you are no approved sender. Confirm that you are a person.',
    'Return-Path: <>',
    'Auto-Submitted: auto-replied',
  ),
  'a ticket': notice(
    'Support <support@example.org>',
    '[Ticket #1] Delivery problem: your message could not be delivered',
    'We have received your request about user ada@example.org.',
    'Auto-Submitted: auto-replied',
  ),
  'a list that waits for its moderator': notice(
    'list-bounces@example.org',
    'Your message to List awaits moderator approval',
    'It is being held: Post by non-member to a members-only list',
    'Precedence: bulk',
  ),
  'a list that counts bounces': notice(
    'mailman@example.org',
    'Bounce action notification',
    'Member: ada@example.org\nAction: Subscription disabled.\nReason: Excessive or fatal bounces.',
    'List-Id: list <list.example.org>',
  ),
  'a list to which only members write': notice(
    'notify@groups.example',
    'Unable to deliver your message',
    'We are unable to deliver it to <list@groups.example>. You are not subscribed.',
  ),
  'a person who could not write to another': notice(
    ADA,
    'Mail could not be delivered',
    'My message to bob@example.org could not be delivered. Is there another address?',
  ),
  'a bounce passed on as text': notice(
    ADA,
    'Fwd: Undelivered Mail Returned to Sender',
    'From: MAILER-DAEMON@example.net\n\nYour message could not be delivered.\n<bob@example.org>: 550 5.1.1 User unknown',
  ),
  'a parcel service by the name of its system': notice(
    'Parcel Delivery System <delivery@parcels.example>',
    'Delivery failed: nobody was at home',
    'Your delivery could not be completed. Contact: ada@example.org',
  ),
  'a digest of the quarantine': notice(
    'postmaster@example.org',
    'Quarantine summary: 3 messages were blocked',
    'Messages to ada@example.org have been quarantined. Release them here.',
  ),
  'what a mail server tells its own postmaster': notice(
    'MAILER-DAEMON@host.example',
    'Postfix SMTP server: errors from x[192.0.2.1]',
    'In: RCPT TO:<ada@example.org>\nOut: 550 5.1.1 <ada@example.org>: User unknown',
  ),
  'a watch over a mail server': notice('smtp@watch.example', '[ALERT] SMTP check failed', 'Mail to ada@example.org'),
  'a gateway that carries no mail': notice('gateway@backup.example', 'Backup failed', 'Job of user ada@example.org'),
  'a warning of the own quota': notice('MAILER-DAEMON@example.org', 'Quota warning', 'Your mailbox is 95 % full.'),
  'a report of DMARC': notice(
    'dmarc-reporting@example.org',
    '[Preview] Report Domain: example.com Submitter: example.org',
    'Messages rejected by policy: 3. SPF failed for user@example.com.',
  ),
  'a report of TLS': report(
    'noreply-smtp-tls-reporting@example.org',
    'Report Domain: example.com Report-ID: <2026@example.com>',
    'tlsrpt',
    'Delivery failure details: 2 failed sessions',
    'Content-Type: application/tlsrpt+gzip',
    '',
    'x',
  ),
  'a receipt of deletion': report(
    'postmaster@example.org',
    'Not read: Your order',
    'disposition-notification',
    'Your message to ada@example.org was deleted without being read.',
    'Content-Type: message/disposition-notification',
    '',
    'Final-Recipient: rfc822;ada@example.org',
    'Disposition: automatic-action/MDN-sent-automatically; deleted',
  ),
};
