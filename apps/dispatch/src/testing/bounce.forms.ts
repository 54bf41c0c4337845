import { ADA, dsn, mail, plainReport, RETURNED_MAIL, type BounceMail } from './bounce.parts';

/** Reports in rarer forms: transcripts of other servers, other languages, gateways of mobile phones, mailing lists. */

const DAEMON = 'MAILER-DAEMON@mx.example.net';

const wrapped = JSON.stringify({
  notificationType: 'Bounce',
  bounce: {
    bouncedRecipients: [
      { emailAddress: '"Ada" <ada@example.org>', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1' },
    ],
  },
  mail: { commonHeaders: { messageId: '<0000000000000000AB@example.com>' } },
});

export const RARE_BOUNCES: BounceMail[] = [
  {
    name: 'a transcript with arrows: the command before the refusal counts, not the first one',
    raw: plainReport('MDaemon@mx.example.net', 'Permanent Delivery Failure', [
      'FAILED ADDRESS: ada@example.org',
      ' Thu 2026-03-05 10:00:02: --> MAIL From:<shop@example.com>',
      ' Thu 2026-03-05 10:00:02: <-- 250 OK',
      ' Thu 2026-03-05 10:00:02: --> RCPT To:<ada@example.org>',
      ' Thu 2026-03-05 10:00:02: <-- 550 Unknown user',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'a warning of non-fatal errors',
    raw: plainReport(DAEMON, 'Warning: could not send message for past 4 hours', [
      '   ----- The following addresses had transient non-fatal errors -----',
      '<ada@example.org>',
      '',
      'Warning: message still undelivered after 4 hours',
      'Will keep trying until message is 5 days old',
    ]),
    kind: 'delayed',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'a warning of a server that will give up some day',
    raw: plainReport(DAEMON, 'Warning: message 1aBcDe-000fGh-Ij delayed 24 hours', [
      'A message that you sent has not yet been delivered to one or more of its',
      'recipients after 24 hours.',
      '',
      'The message has not yet been delivered to the following addresses:',
      '',
      '  ada@example.org',
      '',
      'No action is required on your part. Eventually the mail delivery',
      'software will give up.',
    ]),
    kind: 'delayed',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'a warning of a server that says for how long it has tried',
    raw: plainReport(DAEMON, 'Delayed Mail (still being retried)', [
      'Your message could not be delivered for more than 4 hour(s).',
      'It will be retried until it is 5 day(s) old.',
      '',
      '<ada@example.org>: connect to mx.example.org[192.0.2.1]:25: Connection timed out',
    ]),
    kind: 'delayed',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'punctuation of the east around the address',
    raw: plainReport(DAEMON, 'Returned mail', [
      '收件人：ada@example.org',
      '',
      '收件人邮件地址（ada@example.org）不存在。',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'words right before and after the address, the mailbox full',
    raw: plainReport(DAEMON, '配信エラー', ['宛先ada@example.orgは容量超過のため配信できません。']),
    kind: 'bounce',
    hard: false,
    recipients: ADA,
  },
  {
    name: 'one line for each recipient',
    raw: plainReport('Postmaster@example.net', 'Undeliverable Mail', [
      'undeliverable to ada@example.org',
      'undeliverable to bob@example.org',
    ]),
    kind: 'bounce',
    recipients: ['ada@example.org', 'bob@example.org'],
  },
  {
    name: 'a gateway of phones that writes as no-reply',
    raw: plainReport('no-reply@phones.example', 'Returned Mail', [
      'Your mail sent on: Thu, 5 Mar 2026 10:00:00',
      '    Could not be delivered to: <ada@example.org>',
      '    As the user does not exist.',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'the step named after the address',
    raw: plainReport('postmaster@example.net', 'There was an error sending your mail', [
      'SMTP Server <mx.example.org> rejected recipient <ada@example.org> (Error following RCPT command).',
      'It responded as follows: [550 no such user here]',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'a mailing list that takes mails of its members only',
    raw: plainReport('list-admin@example.org', 'You are not member (list ML)', [
      'You are not a member of this mailing list <list@example.org>.',
      'Please send mail to the address',
      '    list-ctl@example.org',
    ]).replace('Subject:', 'X-MLServer: fml\r\nSubject:'),
    kind: 'bounce',
    hard: false,
    recipients: ['list@example.org'],
  },
  {
    name: 'a mailbox that the code calls disabled and only the words unknown',
    raw: dsn([
      'Final-Recipient: rfc822; ada@example.org',
      'Action: failed',
      'Status: 5.2.1',
      'Diagnostic-Code: smtp; 550 5.2.1 <ada@example.org>... User Unknown',
    ]),
    kind: 'bounce',
    hard: false,
    status: '5.2.1',
    recipients: ADA,
  },
  {
    name: 'a recipient who moved, however it was said',
    raw: dsn([
      'Final-Recipient: rfc822; ada@example.org',
      'Action: failed',
      'Status: 5.0.0',
      'Diagnostic-Code: smtp; 551 User not local; please try <ada@example.net>',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ADA,
  },
  {
    name: 'an apostrophe in the address',
    raw: plainReport(DAEMON, 'failure notice', [
      "<o'hara@example.org>:",
      'Sorry, no mailbox here by that name. (#5.1.1)',
    ]),
    kind: 'bounce',
    hard: true,
    recipients: ["o'hara@example.org"],
  },
  {
    name: 'a domain of a single label',
    raw: dsn(['Final-Recipient: rfc822; ada@intranet', 'Action: failed', 'Status: 5.1.1']),
    kind: 'bounce',
    hard: true,
    recipients: ['ada@intranet'],
  },
  {
    name: 'lines that end by CR alone',
    raw: plainReport(DAEMON, 'failure notice', ['<ada@example.org>:', 'Sorry, no mailbox here by that name. (#5.1.1)'])
      .split('\r\n')
      .join('\r'),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
  {
    name: 'Amazon SNS, the notification wrapped in its own',
    raw: mail(
      'From: AWS Notifications <no-reply@sns.example.com>',
      'Subject: AWS Notification Message',
      '',
      JSON.stringify({ Type: 'Notification', Message: wrapped }),
      '',
      '--',
      ...RETURNED_MAIL.slice(0, 1),
    ),
    kind: 'bounce',
    hard: true,
    status: '5.1.1',
    recipients: ADA,
  },
];
