import { BOUNCES, mail, RETURNED_MAIL } from './bounce.mails';

/** Mails that arrive where bounces do but are none: a complaint, and reports that are not about a delivery. */
export const ARF = mail(
  ...['From: <fbl@example.net>', 'To: <abuse@example.com>', 'Subject: FW: Your order', 'MIME-Version: 1.0'],
  ...[
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain',
  ],
  ...['', 'This is an abuse report.', '', '--b1', 'Content-Type: message/feedback-report', '', 'Feedback-Type: abuse'],
  ...[
    'User-Agent: Example/1.0',
    'Version: 1',
    'Original-Rcpt-To: <ada@example.org>',
    '',
    '--b1',
    'Content-Type: message/rfc822',
    '',
  ],
  ...[...RETURNED_MAIL, '', '--b1--', ''],
);

const letter = (from: string, subject: string, ...lines: string[]): string =>
  mail(`From: ${from}`, 'To: shop@example.com', `Subject: ${subject}`, '', ...lines);

/** Mails that report nothing, however much they look like it. */
export const NO_REPORTS: Record<string, string> = {
  'a letter': letter('Ada <ada@example.org>', 'Hello', 'How are you?'),
  'a question about a bounce': letter(
    'Ada <ada@example.org>',
    'Re: Undelivered Mail Returned to Sender',
    '> 550 5.1.1 <bob@example.org>: User unknown',
    'What does this mean?',
  ),
  'out of office': mail(
    ...['Return-Path: <>', 'Auto-Submitted: auto-replied', 'From: Ada <ada@example.org>', 'To: shop@example.com'],
    ...[
      'Subject: Automatic reply: Your order',
      '',
      'I am away until Monday. Your message was not delivered to anybody else.',
    ],
  ),
  'an answer of a machine': mail(
    ...['Return-Path: <>', 'Auto-Submitted: auto-replied', 'From: help@example.org', 'Subject: Re: Your order', ''],
    ...['We could not deliver an answer yet; recipient ada@example.org is being looked at.'],
  ),
  'a parcel': letter(
    'no-reply@parcels.example',
    'Your parcel could not be delivered',
    'It was returned to sender. Write to us at hi@parcels.example.',
  ),
  'a parcel, of a shop that names your address': letter(
    'noreply@parcels.example',
    'Delivery failed: your parcel',
    'We were unable to deliver it. Your e-mail address ada@example.org is on file.',
  ),
  'a newsletter about bounces': letter(
    'no-reply@news.example',
    'How to lower your bounce rate',
    'A mail that could not be delivered, such as 550 5.1.1 <ada@example.org>: User unknown, hurts.',
  ),
  'a newsletter sent by nobody': mail(
    ...[
      'Return-Path: <>',
      'List-Unsubscribe: <https://news.example/u>',
      'From: news@example.net',
      'Subject: Rates',
      '',
    ],
    ...['Mails that could not be delivered: 550 5.1.1 <ada@example.org>: User unknown.'],
  ),
  'a daily log': letter(
    'root@host.example',
    'logwatch for host',
    'Undelivered: 550 5.1.1 <ada@example.org> User unknown: 3 times',
  ),
  'out of office, about a delivery': mail(
    ...['Return-Path: <>', 'From: Ada <ada@example.org>', 'Subject: Out of Office AutoReply: Delivery problem', ''],
    ...['I am away. Did the delivery fail? Then write to the other recipient, bob@example.org.'],
  ),
  'a receipt of reading': mail(
    ...['From: Ada <ada@example.org>', 'Subject: Read: Your order', 'MIME-Version: 1.0'],
    ...[
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
    ],
    ...['', 'It was displayed.', '--b', 'Content-Type: message/disposition-notification', ''],
    ...['Final-Recipient: rfc822;ada@example.org', 'Disposition: manual-action/MDN-sent-manually; displayed', '--b--'],
  ),
  'a forwarded bounce': mail(
    ...['From: Ada <ada@example.org>', 'Subject: Fwd: failure notice', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', '', 'See below.', '--b'],
    ...['Content-Type: message/rfc822', '', BOUNCES[0]!.raw, '--b--'],
  ),
  'a bounce passed on with its parts': mail(
    ...['From: Ada <ada@example.org>', 'Subject: Fwd: failure notice', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', '', 'See below.', '--b'],
    ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.org', ''],
    ...['Final-Recipient: rfc822; bob@example.org', 'Action: failed', 'Status: 5.1.1', '', '--b--'],
  ),
  'a complaint passed on with its parts': mail(
    ...['From: Ada <ada@example.org>', 'Subject: Fwd: FW: Your order', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: message/feedback-report', ''],
    ...['Feedback-Type: abuse', 'Version: 1', 'Original-Rcpt-To: <bob@example.org>', '', '--b--'],
  ),
  'a letter that is a delivery status by its type': mail(
    ...['From: Ada <ada@example.org>', 'Subject: Hello', 'MIME-Version: 1.0', 'Content-Type: message/delivery-status'],
    ...['', 'Final-Recipient: rfc822; bob@example.org', 'Action: failed', 'Status: 5.1.1', ''],
  ),
  nothing: '',
  rubbish: '\u0000\u0001=?utf-8?Q?=ff?= : \r\n\r\n\r\n--',
};
