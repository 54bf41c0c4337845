import { dsn, mail, RETURNED_MAIL } from '../testing/bounce.parts';
import { readReport } from './report.reader';

const ADA = 'ada@example.org';
const BOUNCE_TEXT = `Your message to ${ADA} could not be delivered: 550 5.1.1 User unknown.`;
const letter = (header: string[], ...lines: string[]) => mail(...header, 'To: shop@example.com', '', ...lines);
const from = (address: string, subject: string, ...more: string[]) => [
  `From: ${address}`,
  `Subject: ${subject}`,
  ...more,
];
const NULL_RETURN_PATH = 'Return-Path: <>';
const REPORT_TYPE = 'Content-Type: multipart/report; report-type=delivery-status; ';

describe('a mail is recognized as a bounce', () => {
  it.each<[string, string]>([
    [
      'with X-Failed-Recipients in its header',
      letter(from('x@example.net', 'Hi', `X-Failed-Recipients: ${ADA}`), 'No.'),
    ],
    [
      'from mailing list software, in few words',
      letter(from('list@lists.example.net', 'Not member article', 'X-MLServer: fml'), `<${ADA}>`),
    ],
    [
      'with an empty return path, after a long greeting',
      letter(from('x@example.net', 'Hi', NULL_RETURN_PATH), ...Array.from({ length: 59 }, () => 'Hello.'), BOUNCE_TEXT),
    ],
    [
      'from a no-reply address, with our mail returned',
      letter(from('noreply@example.net', 'Hi'), BOUNCE_TEXT, '', ...RETURNED_MAIL),
    ],
    [
      'with a daemon as return path',
      letter(from('x@example.net', 'Hi', 'Return-Path: <mailer-daemon@x.net>'), BOUNCE_TEXT),
    ],
    [
      'from a daemon, in few words',
      letter(from('postmaster@example.net', 'Undelivered mail', 'Content-Type: text/plain'), `<${ADA}>`),
    ],
    [
      'from Sendmail, whose notice goes to the postmaster',
      letter(
        from('MAILER-DAEMON', 'Postmaster notify: see transcript for details'),
        '   ----- The following addresses had permanent fatal errors -----',
        `<${ADA}>`,
      ),
    ],
    [
      'of which the delivery was aborted',
      letter(
        from('daemon@example.net', 'Status'),
        'Delivery to the following recipients was aborted after 2 second(s):',
        '',
        `  * ${ADA}`,
      ),
    ],
    [
      'from nobody, in a sentence',
      letter(['From: <>', NULL_RETURN_PATH], `You sent mail to ${ADA}. That is not a valid user here.`),
    ],
    [
      'from Dovecot, which names a long address between its words',
      letter(
        from('postmaster@example.net', 'Rejected: Hi', 'Auto-Submitted: auto-replied (rejected)'),
        'Your message to <ada@example.org>, an address of many letters, was automatically rejected:',
        'Quota exceeded (mailbox for user is full)',
      ),
    ],
    [
      'with a subject that could be that of an automatic reply',
      letter(from('MAILER-DAEMON@example.net', 'Undeliverable: your ticket'), BOUNCE_TEXT),
    ],
  ])('%s', async (_, raw) => {
    expect(await readReport(Buffer.from(raw))).toMatchObject({ kind: 'bounce', recipients: [{ address: ADA }] });
  });
});

it('the status part of a daemon is believed, whatever the type of the mail around it', async () => {
  const fields = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];
  const mixed = dsn(fields, 'See below.').replace(REPORT_TYPE, 'Content-Type: multipart/mixed; ');
  expect((await readReport(Buffer.from(mixed))).recipients).toMatchObject([{ address: ADA, hard: true }]);
});

describe('a mail is not recognized as a bounce', () => {
  const tls = 'Content-Type: multipart/report; report-type=tlsrpt; boundary=b';
  const QUOTED_TLS = 'Content-Type: multipart/report; report-type="tlsrpt"; boundary=b';
  const UTF_8 = 'Content-Type: text/plain; charset=utf-8';
  it.each<[string, string]>([
    [
      'if it is a TLS report',
      letter(from('postmaster@example.net', 'Report: delivery failed', tls), '--b', '', BOUNCE_TEXT, '', '--b--'),
    ],
    [
      'if it is a TLS report, with report-type in quotes',
      letter(
        from('postmaster@example.net', 'Report: delivery failed', QUOTED_TLS),
        '--b',
        '',
        BOUNCE_TEXT,
        '',
        '--b--',
      ),
    ],
    [
      'with an empty return path, mentioning a refusal only at its end',
      letter(from('x@example.net', 'Hi', NULL_RETURN_PATH), ...Array.from({ length: 60 }, () => 'News.'), BOUNCE_TEXT),
    ],
    [
      'from a person, in another charset than declared',
      letter(from(`Ada <${ADA}>`, 'Hello', UTF_8), 'Sch\xf6ne Gr\xfc\xdfe, siehe bob@example.org'),
    ],
    [
      'if it is an automatic reply in another charset than declared',
      letter(
        from('postmaster@example.net', 'Automatic reply: Hello', UTF_8),
        'Sch\xf6ne Gr\xfc\xdfe, siehe bob@example.org',
      ),
    ],
    ['from a person, quoting one', letter(from('x@example.net', 'Hi', 'Return-Path: <x@example.net>'), BOUNCE_TEXT)],
    [
      'from a mailing list, with an empty return path',
      letter(from('x@example.net', 'News', NULL_RETURN_PATH, 'List-Id: <news.example>'), BOUNCE_TEXT),
    ],
    ['if a daemon says that it is on vacation', letter(from('postmaster@example.net', 'On vacation'), BOUNCE_TEXT)],
    [
      'from a shop with the name of a daemon',
      letter(from('Mail System <news@shop.example>', 'Delivery failed'), `We could not deliver the parcel for ${ADA}.`),
    ],
    ['from a gateway, about something else', letter(from('smtp@example.net', 'Hello'), BOUNCE_TEXT)],
    [
      'from a gateway, with a text that mentions no refusal',
      letter(from('smtp@example.net', 'Delivery report'), `The mailbox of ${ADA} is here.`),
    ],
    [
      'with an empty return path and a text that mentions no refusal',
      letter(from('x@example.net', 'Delivery report', NULL_RETURN_PATH), `The mailbox of ${ADA} is here.`),
    ],
    [
      'with an empty return path, about something other than mail',
      letter(from('x@example.net', 'Hi', NULL_RETURN_PATH), `The delivery failed. We wrote to ${ADA}.`),
    ],
  ])('%s', async (_, raw) => {
    expect(await readReport(Buffer.from(raw, 'latin1'))).toMatchObject({ kind: 'none', recipients: [] });
  });
});
