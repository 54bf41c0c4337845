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
const UTF_8 = 'Content-Type: text/plain; charset=utf-8';
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

describe('a mail in a language that is not known', () => {
  const HEBREW = ['ההודעה שלך לא הגיעה אל:', ADA, 'אין משתמש כזה'];
  const DAEMON = 'MAILER-DAEMON@example.net';
  const hebrew = (header: string[], ...more: string[]) => letter([...header, UTF_8], ...HEBREW, ...more);
  const kindOf = async (raw: string, toReturnPath = false) => {
    const { kind, recipients } = await readReport(Buffer.from(raw), () => toReturnPath);
    expect(recipients.map(({ address, hard }) => [address, hard])).toEqual(kind === 'none' ? [] : [[ADA, false]]);
    return kind;
  };

  it('is a bounce if a mail server sends it without a sender, and returns our mail', async () => {
    expect(await kindOf(hebrew(from('postmaster@example.net', 'דוח', NULL_RETURN_PATH), '', ...RETURNED_MAIL))).toBe(
      'bounce',
    );
    expect(await kindOf(hebrew(from(DAEMON, 'דוח'), '', ...RETURNED_MAIL))).toBe('bounce');
    expect(await kindOf(hebrew(from(DAEMON, 'דוח', NULL_RETURN_PATH)))).toBe('none');
  });

  it('is a bounce if a mail server sends it without a sender to a return path that we signed', async () => {
    const raw = hebrew(from(DAEMON, 'דוח', NULL_RETURN_PATH));
    expect(await kindOf(raw, true)).toBe('bounce');
    const asked: (readonly string[])[] = [];
    await readReport(Buffer.from(raw), (addresses) => asked.push(addresses) < 0);
    expect(asked).toEqual([['shop@example.com']]);
  });

  it.each<[string, string]>([
    ['from a person', hebrew(from(ADA, 'דוח', NULL_RETURN_PATH))],
    ['from a postmaster who gives a sender', hebrew(from('postmaster@x.example', 'דוח', 'Return-Path: <a@x.example>'))],
    ['from a postmaster of whom no sender is known', hebrew(from('postmaster@x.example', 'דוח'))],
    ['to a list', hebrew(from(DAEMON, 'דוח', NULL_RETURN_PATH, 'List-Id: <a.example>'))],
    ['that answers by itself', hebrew(from(DAEMON, 'Automatic reply: דוח', NULL_RETURN_PATH))],
    ['that is about the quarantine', hebrew(from(DAEMON, 'Quarantine report', NULL_RETURN_PATH))],
    ['that says by its code that a server still tries', hebrew(from(DAEMON, 'דוח', NULL_RETURN_PATH), '4.4.1')],
    [
      'that is not refused, in English',
      letter(from(DAEMON, 'Held', NULL_RETURN_PATH), `The mail for ${ADA} waits for the moderator of the list.`),
    ],
  ])('is none %s', async (_, raw) => {
    expect(await kindOf(mail(raw, '', ...RETURNED_MAIL), true)).toBe('none');
  });
});

describe('a mail that waits until its sender has shown to be a person', () => {
  const daemon = from('MAILER-DAEMON@waiting.example', 'Undelivered: Your order', NULL_RETURN_PATH);
  it.each([
    'Please click the link below, and complete the verification.',
    'Reply to this mail to confirm that you wrote it.',
    'Only people may write to me. Prove that you are one: https://waiting.example/1',
    'Please verify your address at https://waiting.example/1',
  ])('is not refused: %s', async (asked) => {
    const lines = [`Your message to ${ADA} was not delivered.`, asked];
    expect((await readReport(Buffer.from(letter(daemon, ...lines)))).kind).toBe('none');
    const refused = ['<ada@example.org>: 550 5.7.1 Not from you yet', ...lines];
    expect((await readReport(Buffer.from(letter(daemon, ...refused)))).kind).toBe('bounce');
  });

  it('is no mail whose sender is asked to look at the address again', async () => {
    for (const asked of ['Please verify the address, and send it again.', 'Click on it, and confirm the spelling.']) {
      const lines = [`Your message to ${ADA} was not delivered.`, asked];
      expect((await readReport(Buffer.from(letter(daemon, ...lines)))).kind).toBe('bounce');
    }
  });
});

describe('a mail is not recognized as a bounce', () => {
  const tls = 'Content-Type: multipart/report; report-type=tlsrpt; boundary=b';
  const QUOTED_TLS = 'Content-Type: multipart/report; report-type="tlsrpt"; boundary=b';
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
