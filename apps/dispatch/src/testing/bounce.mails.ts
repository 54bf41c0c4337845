/** Reports as various servers write them, in our own words; the recipient is ada@example.org, the sender shop@example.com. */

export interface BounceMail {
  name: string;
  raw: string;
  kind: string;
  hard?: boolean;
  status?: string | null;
  recipients: string[];
}

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
    ...[
      'Return-Path: <>',
      'From: Mail Delivery System <MAILER-DAEMON@example.net>',
      'To: bounce+token@mail.example.com',
    ],
    ...[
      'Date: Thu, 5 Mar 2026 10:00:00 +0000',
      'Subject: Undelivered Mail Returned to Sender',
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
    ],
    ...[
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
      '',
      '--b1',
      'Content-Type: text/plain',
    ],
    ...['', text, '', '--b1', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[...fields, '', '--b1', 'Content-Type: message/rfc822', '', ...RETURNED_MAIL, '', '--b1--', ''],
  );
}

export function plainReport(
  from: string,
  subject: string,
  lines: string[],
  marker = '--- Below this line is a copy of the message.',
): string {
  return mail(
    ...['Return-Path: <>', `From: ${from}`, 'To: shop@example.com', `Subject: ${subject}`, ''],
    ...[...lines, '', marker, '', ...RETURNED_MAIL],
  );
}

const ADA = ['ada@example.org'];

export const BOUNCES: BounceMail[] = [
  {
    name: 'RFC 3464, unknown mailbox',
    raw: dsn([
      'Final-Recipient: rfc822; ada@example.org',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown',
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'RFC 3464, full mailbox, fields folded and in odd case',
    raw: dsn([
      'FINAL-RECIPIENT: RFC822;<ada@example.org>',
      'ACTION: Failed',
      'STATUS: 5.2.2 (full)',
      'Diagnostic-Code: smtp;',
      '  552 5.2.2 Over quota',
    ]),
    kind: 'bounce',
    hard: false,
    status: '5.2.2',
    recipients: ADA,
  },
  {
    name: 'RFC 3464, still trying',
    raw: dsn([
      'Final-Recipient: rfc822; ada@example.org',
      'Action: delayed',
      'Status: 4.4.1',
      'Will-Retry-Until: Tue, 3 Mar 2026 10:00:00 +0000',
    ]),
    kind: 'delayed',
    hard: false,
    status: '4.4.1',
    recipients: ADA,
  },
  {
    name: 'RFC 3464, delivered',
    raw: dsn(['Final-Recipient: rfc822; ada@example.org', 'Action: delivered', 'Status: 2.0.0']),
    kind: 'delivered',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'RFC 3464, two recipients, one of them still tried; the blank line between forgotten',
    raw: dsn([
      'Final-Recipient: rfc822; ada@example.org',
      'Action: failed',
      'Status: 5.1.1',
      'Final-Recipient: rfc822; bob@example.org',
      'Action: delayed',
      'Status: 4.2.2',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ['ada@example.org', 'bob@example.org'],
  },
  {
    name: 'X.400 gateway: the final recipient is no address',
    raw: dsn([
      'Original-Recipient: rfc822;ada@example.org',
      'Final-Recipient: X400; /c=de/admd=viat/prmd=example/s=lovelace/g=ada/',
      'Action: failed',
      'Status: 5.1.1',
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'refused after the content: a filter that says "user unknown" proves nothing',
    raw: dsn(
      [
        'Final-Recipient: rfc822; ada@example.org',
        'Action: failed',
        'Status: 5.0.0',
        'Diagnostic-Code: smtp; 550 Unknown user',
      ],
      '<ada@example.org>: host mx.example.org said: 550 Unknown user (in reply to end of DATA command)',
    ),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'qmail',
    raw: plainReport('MAILER-DAEMON@mx.example.net', 'failure notice', [
      'Hi. This is the qmail-send program at mx.example.net.',
      "I'm afraid I wasn't able to deliver your message to the following addresses.",
      "This is a permanent error; I've given up. Sorry it didn't work out.",
      '',
      '<ada@example.org>:',
      'Sorry, no mailbox here by that name. (#5.1.1)',
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'Exim',
    raw: plainReport(
      'Mail Delivery System <Mailer-Daemon@mx.example.net>',
      'Mail delivery failed: returning message to sender',
      [
        'A message that you sent could not be delivered to one or more of its recipients.',
        'This is a permanent error. The following address(es) failed:',
        '',
        '  ada@example.org',
        '    host mx.example.org [192.0.2.1]',
        '    SMTP error from remote mail server after RCPT TO:<ada@example.org>:',
        '    550 No such user here',
      ],
      '------ This is a copy of the message, including all the headers. ------',
    ),
    kind: 'bounce',
    hard: true,
    status: null,
    recipients: ADA,
  },
  {
    name: 'Exim, delayed',
    raw: plainReport('Mail Delivery System <Mailer-Daemon@mx.example.net>', 'Warning: message 1abc delayed 24 hours', [
      'A message that you sent has not yet been delivered to one or more of its recipients after more than 24 hours.',
      'The address to which the message has not yet been delivered is:',
      '',
      '  ada@example.org',
      '    Delay reason: 451 4.7.1 Greylisting in action',
      '',
      'No action is required on your part. Delivery attempts will continue for some time.',
    ]),
    kind: 'delayed',
    hard: false,
    status: '4.7.1',
    recipients: ADA,
  },
  {
    name: 'old Sendmail',
    raw: plainReport(
      'Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>',
      'Returned mail: Host unknown',
      [
        '   ----- Transcript of session follows -----',
        '550 example.org (smtp)... 550 Host unknown',
        '554 <ada@example.org>... 550 Host unknown',
      ],
      '   ----- Unsent message follows -----',
    ),
    kind: 'bounce',
    hard: true,
    status: null,
    recipients: ADA,
  },
  {
    name: 'Lotus Domino',
    raw: plainReport(
      'Postmaster@example.org',
      'DELIVERY FAILURE: User ada (ada@example.org) not listed in Domino Directory',
      [
        'Your message',
        '',
        '  Subject: Your order',
        '',
        'was not delivered to:',
        '',
        '  ada@example.org',
        '',
        'because:',
        '',
        '  User ada (ada@example.org) not listed in Domino Directory',
      ],
      '----- Original message -----',
    ),
    kind: 'bounce',
    hard: true,
    status: null,
    recipients: ADA,
  },
  {
    name: 'Exchange of old',
    raw: plainReport('System Administrator <postmaster@example.org>', 'Undeliverable: Your order', [
      'Your message',
      '',
      '  To:      ada@example.org',
      '  Subject: Your order',
      '',
      'did not reach the following recipient(s):',
      '',
      'ada@example.org on Thu, 5 Mar 2026 10:00:00 +0000',
      '    The recipient name is not recognized',
      '    MSEXCH:IMS:EXAMPLE:MX 0 (000C05A6) Unknown Recipient',
    ]),
    kind: 'bounce',
    hard: true,
    status: null,
    recipients: ADA,
  },
  {
    name: 'MailEnable',
    raw: plainReport('Postmaster <postmaster@example.net>', 'Message Delivery Failure', [
      'The following recipient(s) could not be reached:',
      '',
      'Recipient: [SMTP:ada@example.org]',
      'Reason:    Remote SMTP Server Returned: 550 5.1.1 mailbox not found',
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'Courier',
    raw: plainReport(
      '"Courier mail server at mx.example.net" <MAILER-DAEMON@mx.example.net>',
      'NOTICE: mail delivery status.',
      [
        'This is a delivery status notification from mx.example.net.',
        'The original message could not be delivered to:',
        '',
        '<ada@example.org>:',
        '    mx.example.org [192.0.2.1]:',
        '      <<< 552 5.2.2 Mailbox quota exceeded',
      ],
    ),
    kind: 'bounce',
    hard: false,
    status: '5.2.2',
    recipients: ADA,
  },
  {
    name: 'a web mailer, the answer names the recipient',
    raw: plainReport('MAILER-DAEMON@mail.example.net', 'Failure Notice', [
      'Sorry, we were unable to deliver your message to the following address.',
      '',
      '<ada@example.org>:',
      '550: <ada@example.org>: User unknown',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'sendmail 5, a transcript with others after it',
    raw: plainReport(
      'Mail Delivery Subsystem <MAILER-DAEMON@example.net>',
      'Returned mail: User unknown',
      [
        '   ----- Transcript of session follows -----',
        '>>> DATA',
        '<<< 550 This mail was sent before.',
        '554 <ada@example.org>... Remote protocol error: Connection reset by peer',
        '550 elsewhere.example (smtp)... 550 Host unknown',
        '554 <bob@elsewhere.example>... 550 Host unknown (Authoritative answer from name server)',
      ],
      '   ----- Unsent message follows -----',
    ),
    kind: 'bounce',
    hard: false,
    recipients: ['ada@example.org', 'bob@elsewhere.example'],
  },
  {
    name: 'German',
    raw: plainReport('Mailsystem <mailer-daemon@example.de>', 'Unzustellbar: Your order', [
      'Ihre Nachricht konnte nicht zugestellt werden.',
      '',
      'Empfänger: ada@example.org',
      'Grund: 550 5.1.1 Empfänger unbekannt',
    ]),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'Amazon SES by SNS',
    raw: mail(
      ...[
        'From: no-reply@sns.amazonaws.com',
        'To: ops@example.com',
        'Subject: Amazon SES Email Event Notification',
        '',
      ],
      '{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{"emailAddress":"ada@example.org",' +
        '"action":"failed","status":"5.1.1","diagnosticCode":"smtp; 550 5.1.1 user unknown"}]},' +
        '"mail":{"messageId":"1","commonHeaders":{"messageId":"<0000000000000000AB@example.com>"}}}',
    ),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
];
