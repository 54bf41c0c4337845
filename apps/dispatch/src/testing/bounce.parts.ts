/** What reports are made of. The recipient is ada@example.org, the sender shop@example.com. */

export interface BounceMail {
  name: string;
  raw: string;
  kind: string;
  hard?: boolean;
  status?: string | null;
  recipients: string[];
}

export const ADA = ['ada@example.org'];

export const mail = (...lines: string[]): string => lines.join('\r\n');
/** The returned mail, as far as it is shown. */
export const RETURNED_MAIL = [
  'Return-Path: <bounce+token@mail.example.com>',
  'Message-ID: <0000000000000000AB@example.com>',
  'From: Shop <shop@example.com>',
  'To: Ada <ada@example.org>',
  'Subject: Your order',
  '',
  'It is on its way.',
];

export function dsn(fields: string[], text = 'The mail system of example.net could not deliver your message.'): string {
  return mail(
    'Return-Path: <>',
    'From: Mail Delivery System <MAILER-DAEMON@example.net>',
    'To: bounce+token@mail.example.com',
    'Date: Thu, 5 Mar 2026 10:00:00 +0000',
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain',
    '',
    text,
    '',
    '--b1',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    ...fields,
    '',
    '--b1',
    'Content-Type: message/rfc822',
    '',
    ...RETURNED_MAIL,
    '',
    '--b1--',
    '',
  );
}

export function plainReport(
  from: string,
  subject: string,
  lines: string[],
  marker = '--- Below this line is a copy of the message.',
): string {
  return mail(
    'Return-Path: <>',
    `From: ${from}`,
    'To: shop@example.com',
    `Subject: ${subject}`,
    '',
    ...lines,
    '',
    marker,
    '',
    ...RETURNED_MAIL,
  );
}
