import fc from 'fast-check';
import { RARE_BOUNCES } from '../testing/bounce.forms';
import { VENDOR_BOUNCES } from '../testing/bounce.vendors';
import { BOUNCES } from '../testing/bounce.mails';
import { dsn, mail, plainReport } from '../testing/bounce.parts';
import { ARF, NO_REPORTS } from '../testing/other.mails';
import { OTHER_NOTICES } from '../testing/other.notices';
import { MAX_READ_BYTES } from './opened.mail';
import { readReport } from './report.reader';

const DAEMON = 'Mail Delivery System <MAILER-DAEMON@example.net>';
const MAILBOX_UNKNOWN = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];
const encodedText = mail(
  `From: ${DAEMON}`,
  'Subject: Undelivered mail',
  'Content-Type: text/plain',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from(mail('We are sorry.', '', ...MAILBOX_UNKNOWN, '')).toString('base64'),
);
const read = (raw: string) => readReport(Buffer.from(raw));

describe('a bounce report', () => {
  it.each([...BOUNCES, ...RARE_BOUNCES, ...VENDOR_BOUNCES])(
    '$name',
    async ({ raw, kind, hard, status, recipients }) => {
      const report = await read(raw);
      expect({ kind: report.kind, of: report.recipients.map(({ address }) => address) }).toEqual({
        kind,
        of: recipients,
      });
      expect(report.originalMessageId).toBe('<0000000000000000AB@example.com>');
      if (hard !== undefined) expect(report.recipients[0]!.hard).toBe(hard);
      if (status !== undefined) expect(report.recipients[0]!.status).toBe(status);
    },
  );

  const withoutReturned = BOUNCES[0]!.raw.replace('Return-Path: <bounce+token@mail.example.com>\r\n', '');

  it('names the return path of the returned mail, and that to which it came', async () => {
    const elsewhere = BOUNCES[0]!.raw.replace('To: bounce+token@mail', 'To: ops@mail');
    expect((await read(elsewhere)).returnPaths).toEqual(['ops@mail.example.com', 'bounce+token@mail.example.com']);
    expect((await read(withoutReturned)).returnPaths).toEqual(['bounce+token@mail.example.com']);
  });

  it.each(['X-Original-To', 'Envelope-To', 'Delivered-To'])('names the return path found in %s', async (field) => {
    const raw = withoutReturned.replace('To: bounce+token@', `To: undisclosed-recipients:;\r\n${field}: bounce+token@`);
    expect((await read(raw)).returnPaths).toContain('bounce+token@mail.example.com');
  });

  it('is not hard while a server still retries', async () => {
    const fields = ['Final-Recipient: rfc822; ada@example.org', 'Action: delayed', 'Status: 4.1.1'];
    const [recipient] = (await read(dsn([...fields, 'Diagnostic-Code: smtp; 450 4.1.1 User unknown']))).recipients;
    expect(recipient).toMatchObject({ kind: 'delayed', reason: 'mailbox_unknown', hard: false });
  });

  it('quotes the refusing server without line breaks, cut to the length of a reply', async () => {
    const text = `550 5.7.1 ${'no '.repeat(1000)}`;
    const fields = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', `Diagnostic-Code: smtp; ${text}`];
    const [recipient] = (await read(dsn(fields))).recipients;
    expect(recipient).toMatchObject({ reason: 'policy_refused', hard: false, status: '5.7.1' });
    expect(recipient!.diagnostic).toHaveLength(500);
  });

  it('lists each recipient once, with its final result, however many groups of fields it has', async () => {
    const of = (address: string, ...told: string[]) => ['', `Final-Recipient: rfc822; ${address}`, ...told];
    const failed = ['Action: failed', 'Status: 5.1.1'];
    const report = await read(
      dsn([
        ...of('ada@example.org', 'Action: delayed', 'Status: 4.4.1').slice(1),
        ...of('ada@example.org', ...failed),
        ...of('Ada@Example.org', ...failed),
        ...of('bob@example.org', ...failed),
      ]),
    );
    const told = report.recipients.map(({ address, kind }) => [address, kind]);
    expect(told).toEqual([
      ['ada@example.org', 'bounce'],
      ['bob@example.org', 'bounce'],
    ]);
  });

  it.each<[string, string]>([
    [
      'in its fields',
      dsn([
        'Original-Recipient: rfc822;ada@example.com',
        'Final-Recipient: rfc822; ada@example.org',
        'Action: failed',
        'Status: 5.1.1',
      ]),
    ],
    [
      'in its words',
      dsn(
        ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'],
        '<ada@example.org> (expanded from <ada@example.com>): unknown user',
      ),
    ],
    [
      'by a relay',
      dsn(['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1']).replace(
        'Message-ID:',
        'Delivered-To: ada@example.com\r\nX-Forwarded-For: ada@example.com ada@example.org\r\nMessage-ID:',
      ),
    ],
  ])('names the address that the mail was forwarded from, stated %s', async (_, raw) => {
    expect((await read(raw)).recipients).toMatchObject([
      { address: 'ada@example.org', forwardedFrom: ['ada@example.com'], hard: true },
    ]);
  });

  it('judges each recipient by its own words, and assumes forwarding only for a single recipient', async () => {
    const fields = ['ada', 'bob'].flatMap((name) => [
      '',
      `Final-Recipient: rfc822; ${name}@example.org`,
      'Action: failed',
      'Status: 5.0.0',
    ]);
    const words = ['<ada@example.org>: 550 5.1.1 User unknown', '<bob@example.org>: it was refused'];
    const noted = (raw: string) => raw.replace('Message-ID:', 'Delivered-To: cy@example.com\r\nMessage-ID:');
    const both = [
      { address: 'ada@example.org', hard: true },
      { address: 'bob@example.org', hard: false },
    ];
    for (const raw of [dsn(fields.slice(1), words.join('\r\n')), plainReport(DAEMON, 'Undelivered mail', words)]) {
      const { recipients } = await read(noted(raw));
      expect(recipients).toMatchObject(both);
      for (const recipient of recipients) expect(recipient).not.toHaveProperty('forwardedFrom');
    }
    const [alone] = (await read(noted(plainReport(DAEMON, 'Undelivered mail', words.slice(0, 1))))).recipients;
    expect(alone).toMatchObject({ address: 'ada@example.org', forwardedFrom: ['cy@example.com'] });
  });

  it('is hard if the code concerns the address, even in reply to DATA', async () => {
    const fields = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.1.1'];
    const said = 'Diagnostic-Code: smtp; 550 5.1.1 No such user';
    const words = (stage: string) => `<ada@example.org>: host mx said: 550 5.1.1 No such user (in reply to ${stage})`;
    const hardAt = async (stage: string) => (await read(dsn([...fields, said], words(stage)))).recipients[0]!.hard;
    expect(await hardAt('RCPT TO command')).toBe(true);
    expect(await hardAt('end of DATA command')).toBe(true);
    expect(await hardAt('MAIL FROM command')).toBe(false);
  });

  it.each([
    ['550-Requested action not taken: mailbox unavailable 550 invalid DNS MX or A/AAAA resource record', 'MAIL FROM'],
    ['550 Requested action not taken: mailbox unavailable', 'MAIL FROM'],
    ['550 5.7.1 No MX for sender domain', 'RCPT TO'],
    ['550 5.7.1 Invalid domain in sender address', 'RCPT TO'],
    ['550 5.7.1 mail from unknown host', 'RCPT TO'],
    ['550 No such domain as that of the sender', 'RCPT TO'],
    ['550-Verification failed for <shop@example.org> 550-Unrouteable mail domain 550 Sender verify failed', 'RCPT TO'],
  ])('is not hard if the sender was refused: %s (%s)', async (said, stage) => {
    const fields = ['Final-Recipient: rfc822; ada@example.org', 'Action: failed', 'Status: 5.0.0'];
    const words = `<ada@example.org>: host mx said: ${said} (in reply to ${stage} command)`;
    const { recipients } = await read(dsn([...fields, `Diagnostic-Code: smtp; ${said}`], words));
    expect(recipients).toMatchObject([{ address: 'ada@example.org', hard: false }]);
  });

  it('has the time of its Date header, if that is plausible', async () => {
    const writtenAt = async (date: string) =>
      (await read(BOUNCES[0]!.raw.replace(/^Date: .*$/m, `Date: ${date}`))).writtenAt;
    expect(await writtenAt('Thu, 5 Mar 2026 10:00:00 +0000')).toBe(Date.UTC(2026, 2, 5, 10));
    const received = 'Received: from mx.example.org by mx.shop.example; id 7;\r\n Thu, 5 Mar 2026 11:00:02 +0100 (CET)';
    for (const date of ['Thu, 5 Mar 2026 11:00:01 CET', 'Do, 5 Mrz 2026 11:00:01 +0100'])
      expect(await writtenAt(`${date}\r\n${received}`)).toBe(Date.UTC(2026, 2, 5, 10, 0, 2));
    for (const none of ['Thu, 1 Jan 1970 00:00:00 +0000', 'yesterday']) expect(await writtenAt(none)).toBeNull();
  });

  it.each(['application/octet-stream', 'text/plain; name="details.txt"'])(
    'is read even if a gateway turned its status part into %s in base64',
    async (type) => {
      const part = mail('Reporting-MTA: dns; mx.example.net', '', ...MAILBOX_UNKNOWN, '');
      const encoded = dsn(MAILBOX_UNKNOWN).replace(
        `Content-Type: message/delivery-status\r\n\r\n${part}`,
        mail(
          `Content-Type: ${type}`,
          'Content-Disposition: attachment',
          'Content-Transfer-Encoding: base64',
          '',
          Buffer.from(part).toString('base64'),
          '',
        ),
      );
      expect(encoded).not.toContain('Final-Recipient');
      expect((await read(encoded)).recipients).toMatchObject([
        { address: 'ada@example.org', kind: 'bounce', hard: true, status: '5.1.1' },
      ]);
    },
  );

  it.each<[string, string]>([
    ['in the human-readable text, encoded', encodedText],
    ['in a part of an unknown type', dsn(MAILBOX_UNKNOWN).replace('message/delivery-status', 'application/x-report')],
  ])('is read if its machine-readable fields are %s', async (_, raw) => {
    expect((await read(raw)).recipients).toMatchObject([{ address: 'ada@example.org', hard: true, status: '5.1.1' }]);
  });

  it('falls back to the address in its words if a single recipient field has no address', async () => {
    const nobody = ['Final-Recipient: x400; /c=example/', ...MAILBOX_UNKNOWN.slice(1)];
    const words = 'The mail to <ada@example.org> could not be delivered.';
    expect((await read(dsn(nobody, words))).recipients).toMatchObject([{ address: 'ada@example.org', hard: true }]);
    const bob = ['Final-Recipient: rfc822; bob@example.org', ...MAILBOX_UNKNOWN.slice(1)];
    const both = await read(dsn([...nobody, '', ...bob], words));
    expect(both.recipients.map(({ address }) => address)).toEqual(['bob@example.org']);
  });

  it('is read even if its boundaries are broken', async () => {
    const broken = BOUNCES[0]!.raw.replaceAll('\r\n--b1', '\r\n--b2');
    expect(await read(broken)).toMatchObject({
      kind: 'bounce',
      recipients: [{ address: 'ada@example.org', hard: true }],
    });
  });

  it.each<[string, (raw: string) => string]>([
    ['with lines ended by LF', (raw) => raw.replaceAll('\r\n', '\n')],
    ['with lines ended by CR CR LF', (raw) => raw.replaceAll('\r\n', '\r\r\n')],
    ['with an oversized header line', (raw) => `X-Trace: ${'a'.repeat(70_000)}\r\n${raw}`],
    ['with thousands of header fields', (raw) => `${'X-Trace: <eve@example.net>\r\n'.repeat(1500)}${raw}`],
    ['in an unknown charset', (raw) => raw.replaceAll('text/plain', 'text/plain; charset=x-none')],
    ['with an advertisement appended', (raw) => `${raw}\r\nSent by eve@example.net\r\n`],
  ])('names the same recipients %s', async (_, changed) => {
    for (const { raw, recipients, name } of [...BOUNCES, ...VENDOR_BOUNCES]) {
      const report = await read(changed(raw));
      expect({ name, of: report.recipients.map(({ address }) => address) }).toEqual({ name, of: recipients });
    }
  });

  it('is read from its beginning, however large the returned mail is', async () => {
    const large = BOUNCES[0]!.raw.replace('It is on its way.', 'x'.repeat(2 * MAX_READ_BYTES));
    expect(await read(large)).toMatchObject({ kind: 'bounce', recipients: [{ address: 'ada@example.org' }] });
  });
});

describe('any other mail', () => {
  it.each(Object.entries({ ...NO_REPORTS, ...OTHER_NOTICES }))('%s', async (_, raw) => {
    expect(await read(raw)).toMatchObject({ kind: 'none', recipients: [] });
  });

  it('always yields a valid report, whatever its bytes are', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...BOUNCES.map(({ raw }) => raw), ARF),
      fc.constantFrom(
        '\r\n',
        '--b1',
        'Final-Recipient: rfc822;',
        'Action: failed',
        '<',
        '@',
        '550 5.1.1',
        '=?utf-8?B?',
      ),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    const mails = fc.array(fc.tuple(piece, fc.nat(2000), fc.nat(2000)), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(mails, async (pieces) => {
        const raw = pieces
          .map(([text, from, length]) => text.slice(from % (text.length + 1)).slice(0, length))
          .join('\r\n');
        const { kind, recipients } = await read(raw);
        expect(['bounce', 'delayed', 'delivered', 'complaint', 'feedback', 'none']).toContain(kind);
        expect(recipients.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 150 },
    );
  });
});
