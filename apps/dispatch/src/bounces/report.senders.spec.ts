import { dsn, mail, RETURNED } from '../testing/bounce.mails';
import { readReport } from './report.reader';

const ADA = 'ada@example.org';
const SAID = `Your message to ${ADA} could not be delivered: 550 5.1.1 User unknown.`;
const letter = (header: string[], ...lines: string[]) => mail(...header, 'To: shop@example.com', '', ...lines);
const from = (address: string, subject: string, ...more: string[]) => [
  `From: ${address}`,
  `Subject: ${subject}`,
  ...more,
];
const NOBODY = 'Return-Path: <>';
const REPORT = 'Content-Type: multipart/report; report-type=delivery-status; ';

describe('a mail is a report of a refusal', () => {
  it.each<[string, string]>([
    [
      'that names in its header who was refused',
      letter(from('x@example.net', 'Hi', `X-Failed-Recipients: ${ADA}`), 'No.'),
    ],
    [
      'of the software of a list, in few words',
      letter(from('list@lists.example.net', 'Not member article', 'X-MLServer: fml'), `<${ADA}>`),
    ],
    [
      'of nobody, after a long greeting',
      letter(from('x@example.net', 'Hi', NOBODY), ...Array.from({ length: 59 }, () => 'Hello.'), SAID),
    ],
    ['of a machine that brings our mail back', letter(from('noreply@example.net', 'Hi'), SAID, '', ...RETURNED)],
    ['whose return path is a daemon', letter(from('x@example.net', 'Hi', 'Return-Path: <mailer-daemon@x.net>'), SAID)],
    [
      'of a daemon, in few words',
      letter(from('postmaster@example.net', 'Undelivered mail', 'Content-Type: text/plain'), `<${ADA}>`),
    ],
    [
      'about a mail whose subject may be that of an automatic answer',
      letter(from('MAILER-DAEMON@example.net', 'Undeliverable: your ticket'), SAID),
    ],
  ])('%s', async (_, raw) => {
    expect(await readReport(Buffer.from(raw))).toMatchObject({ kind: 'bounce', recipients: [{ address: ADA }] });
  });
});

it('a daemon is believed in its part for machines, whatever kind of mail that is in', async () => {
  const fields = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];
  const mixed = dsn(fields, 'See below.').replace(REPORT, 'Content-Type: multipart/mixed; ');
  expect((await readReport(Buffer.from(mixed))).recipients).toMatchObject([{ address: ADA, hard: true }]);
});

describe('a mail is no report of a refusal', () => {
  const tls = 'Content-Type: multipart/report; report-type=tlsrpt; boundary=b';
  const QUOTED_TLS = 'Content-Type: multipart/report; report-type="tlsrpt"; boundary=b';
  const UTF_8 = 'Content-Type: text/plain; charset=utf-8';
  it.each<[string, string]>([
    [
      'that reports of TLS',
      letter(from('postmaster@example.net', 'Report: delivery failed', tls), '--b', '', SAID, '', '--b--'),
    ],
    [
      'that reports of TLS, its kind in quotes',
      letter(from('postmaster@example.net', 'Report: delivery failed', QUOTED_TLS), '--b', '', SAID, '', '--b--'),
    ],
    [
      'of nobody, that speaks of a refusal after all else',
      letter(from('x@example.net', 'Hi', NOBODY), ...Array.from({ length: 60 }, () => 'News.'), SAID),
    ],
    [
      'of a person, in another charset than it names',
      letter(from(`Ada <${ADA}>`, 'Hello', UTF_8), 'Sch\xf6ne Gr\xfc\xdfe, siehe bob@example.org'),
    ],
    [
      'of a daemon that answers by itself, in another charset than it names',
      letter(
        from('postmaster@example.net', 'Automatic reply: Hello', UTF_8),
        'Sch\xf6ne Gr\xfc\xdfe, siehe bob@example.org',
      ),
    ],
    ['of a list, sent by nobody', letter(from('x@example.net', 'News', NOBODY, 'List-Id: <news.example>'), SAID)],
    ['of a daemon that is on vacation', letter(from('postmaster@example.net', 'On vacation'), SAID)],
    [
      'of a shop by the name of a daemon',
      letter(from('Mail System <news@shop.example>', 'Delivery failed'), `We could not deliver the parcel for ${ADA}.`),
    ],
    ['of a gateway, about something else', letter(from('smtp@example.net', 'Hello'), SAID)],
    [
      'of a gateway, whose text refuses nothing',
      letter(from('smtp@example.net', 'Delivery report'), `The mailbox of ${ADA} is here.`),
    ],
    [
      'of nobody, whose text refuses nothing',
      letter(from('x@example.net', 'Delivery report', NOBODY), `The mailbox of ${ADA} is here.`),
    ],
    [
      'of nobody, about something else than mail',
      letter(from('x@example.net', 'Hi', NOBODY), `The delivery failed. We wrote to ${ADA}.`),
    ],
  ])('%s', async (_, raw) => {
    expect(await readReport(Buffer.from(raw, 'latin1'))).toMatchObject({ kind: 'none', recipients: [] });
  });
});
