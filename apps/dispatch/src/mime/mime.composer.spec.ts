import PostalMime, { decodeWords } from 'postal-mime';
import fc from 'fast-check';
import { bytesOf } from '../testing/mail.bytes';
import type { LoadedAttachment } from './mime.attachments';
import { composeMail, type LoadedMail } from './mime.composer';

const mail = (over: Partial<LoadedMail> = {}): LoadedMail => ({
  message_id: '<000abc@mail.example.com>',
  date: '2026-01-02T03:04:05.000Z',
  from: { email: 'shop@example.com' },
  to: { email: 'ada@example.com' },
  cc: [],
  subject: 'Hello',
  headers: [],
  attachments: [],
  ...over,
});
const attachment = (over: Partial<LoadedAttachment> = {}): LoadedAttachment => ({
  file_name: 'a.bin',
  content_type: 'application/octet-stream',
  bytes: Buffer.from([0, 1, 2, 250, 251, 252, 13, 10, 46]),
  ...over,
});
const raw = (of: LoadedMail): string => bytesOf(composeMail(of)).toString('latin1');
const parsed = (of: LoadedMail) => PostalMime.parse(bytesOf(composeMail(of)));
const headOf = (of: LoadedMail): string =>
  raw(of)
    .split('\r\n\r\n')[0]!
    .replace(/\r\n[ \t]/g, ' ');
const withoutEnd = (text: string): string => text.replace(/\n*$/, '');
const textOf = (text: string | undefined): string => withoutEnd(text!.replace(/\r\n/g, '\n'));
const contentBytes = (content: unknown): Buffer => Buffer.from(content as ArrayBuffer);

describe('composeMail', () => {
  it('writes every field of a mail', () => {
    const told: { [field in keyof Required<LoadedMail>]: [given: LoadedMail[field], line: string] } = {
      message_id: ['<1@example.com>', 'Message-ID: <1@example.com>'],
      date: ['2026-01-02T03:04:05.000Z', 'Date: Fri, 02 Jan 2026 03:04:05 +0000'],
      from: [{ email: 'shop@example.com' }, 'From: shop@example.com'],
      to: [{ email: 'ada@example.com' }, 'To: ada@example.com'],
      reply_to: [{ email: 'help@example.com' }, 'Reply-To: help@example.com'],
      cc: [[{ email: 'cc@example.com' }], 'Cc: cc@example.com'],
      in_reply_to: ['<0@example.com>', 'In-Reply-To: <0@example.com>'],
      subject: ['Hello', 'Subject: Hello'],
      text: ['in words', 'in words'],
      html: ['<b>in html</b>', '<b>in html</b>'],
      headers: [[['X-Order', '1001']], 'X-Order: 1001'],
      attachments: [[attachment({ file_name: 'a.pdf' })], 'a.pdf'],
    };
    const given = Object.fromEntries(Object.entries(told).map(([field, [value]]) => [field, value])) as object;
    const lines = raw(given as LoadedMail)
      .replace(/\r\n[ \t]/g, ' ')
      .split('\r\n');
    for (const [, line] of Object.values(told)) expect(lines).toContainEqual(expect.stringContaining(line));
  });

  it('returns the same bytes for the same mail, with their exact size', () => {
    const rich = mail({ text: 'a', html: '<img src="cid:x">', attachments: [attachment({ cid: 'x' }), attachment()] });
    expect(raw(rich)).toBe(raw(rich));
    expect(composeMail(rich).size).toBe(bytesOf(composeMail(rich)).length);
    expect(raw(rich)).not.toBe(raw({ ...rich, message_id: '<000abd@mail.example.com>' }));
  });

  it('uses boundaries that do not occur in an attached mail', async () => {
    const within = { content_type: 'message/rfc822', file_name: 'a.eml' };
    const boundary = /boundary="([^"]+)"/.exec(raw(mail({ text: 'a', attachments: [attachment(within)] })))![1]!;
    const bytes = Buffer.from(`Subject: a\r\n\r\n--${boundary}\r\n\r\nnot ours\r\n--${boundary}--\r\n`);
    const read = await parsed(mail({ text: 'a', attachments: [attachment({ ...within, bytes })] }));
    expect(read.attachments).toHaveLength(1);
    expect(textOf(read.text)).not.toContain('not ours');
  });

  it('writes date, ids and addresses of the event, but no mailer and no hidden copies', () => {
    const head = headOf(mail({ in_reply_to: '<q@example.com>', reply_to: { email: 'help@example.com' }, text: 'a' }));
    expect(head).toContain('Date: Fri, 02 Jan 2026 03:04:05 +0000');
    expect(head).toContain('Message-ID: <000abc@mail.example.com>');
    expect(head).toContain('In-Reply-To: <q@example.com>');
    expect(head).toContain('References: <q@example.com>');
    expect(head).toContain('Reply-To: help@example.com');
    expect(head).not.toMatch(/X-Mailer|Bcc/i);
  });

  it.each([
    '<q@example.com>',
    '<order 1001@example.com>',
    '<"a b"@example.com>',
    '<Grüße 1@example.com>',
    `<${'x '.repeat(494)}>`,
  ])('writes In-Reply-To and References as a single id: %.40s', (id) => {
    const head = headOf(mail({ in_reply_to: id, text: 'a' }));
    const of = (name: string) => decodeWords(new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(head)![1]!.trim());
    expect([of('In-Reply-To'), of('References')]).toEqual([id, id]);
  });

  it('writes In-Reply-To as UTF-8 if the mail needs SMTPUTF8 anyway, as readers compare ids undecoded', () => {
    const to = { email: 'jörg@example.com' };
    const headBytes = (id: string) => Buffer.from(headOf(mail({ to, in_reply_to: id, text: 'a' })), 'latin1');
    const lines = headBytes('<grüße.1@example.com>').toString().split('\r\n');
    expect(lines).toContain('In-Reply-To: <grüße.1@example.com>');
    expect(lines).toContain('References: <grüße.1@example.com>');
    // A line has 998 octets at most (RFC 6532 section 3.4).
    const long = raw(mail({ to, in_reply_to: `<${'ü'.repeat(600)}@example.com>`, text: 'a' }));
    expect(Math.max(...long.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });

  it.each([
    ['a comma', 'Doe, Jane (Sales) "JD"'],
    ['UTF-8', 'Zoë Ångström, Ünïcode'],
    ['emoji', '🐘 Elefant 👩‍👩‍👧'],
    ['something that looks like an address', 'x@y.z <a@b.c>, d@e.f'],
    ['a lookalike of an encoded word', '=?utf-8?q?no?='],
  ])('keeps a name with %s intact, with one address', async (_, name) => {
    const { from, to, cc } = await parsed(
      mail({
        from: { email: 'shop@example.com', name },
        to: { email: 'ada@example.com', name },
        cc: [
          { email: 'one@example.com', name },
          { email: 'two@example.com', name: '' },
        ],
        text: 'a',
      }),
    );
    if (!name.startsWith('=?')) expect(from).toMatchObject({ address: 'shop@example.com', name });
    expect(to).toHaveLength(1);
    expect(to![0]).toMatchObject({ address: 'ada@example.com' });
    expect(cc!.map((address) => address.address)).toEqual(['one@example.com', 'two@example.com']);
  });

  it('writes domains as A-labels and quoted local parts unchanged', () => {
    const head = headOf(mail({ to: { email: '"a b"@bücher.example' }, text: 'a' }));
    expect(head).toContain('To: <"a b"@xn--bcher-kva.example>');
  });

  it('folds a subject of emoji without breaking one', async () => {
    const subject = '🎉'.repeat(127) + 'x';
    const message = mail({ subject, text: 'a' });
    expect((await parsed(message)).subject).toBe(subject);
    for (const line of raw(message).split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
  });

  it('keeps custom headers in order and spelling, and skips reserved and invalid ones', () => {
    const head = headOf(
      mail({
        text: 'a',
        headers: [
          ['X-ORDER-Nr', '1'],
          ['List-Unsubscribe', '<https://example.com/u>'],
          ['References', '<older@example.com>'],
          ['Content-Type', 'text/evil'],
          ['bcc', 'eve@example.com'],
          ['Message-ID', '<other@example.com>'],
          ['Bad Name', 'x'],
          ['X-Name', 'Ünïcode'],
        ],
        in_reply_to: '<q@example.com>',
      }),
    );
    const custom = head.split('\r\n').filter((line) => /^(X-|List)/.test(line));
    expect(custom).toEqual([
      'X-ORDER-Nr: 1',
      'List-Unsubscribe: <https://example.com/u>',
      expect.stringMatching(/^X-Name: =\?UTF-8\?/),
    ]);
    expect(head.match(/^References:.*$/gim)).toEqual(['References: <older@example.com>']);
    expect(head).not.toMatch(/evil|eve@|other@|Bad/);
  });

  it('folds a header value without blanks, however long', async () => {
    const value = 'a'.repeat(3000);
    const message = mail({ text: 'a', headers: [['X-Long', value]] });
    for (const line of raw(message).split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
    const header = (await parsed(message)).headers.find(({ key }) => key === 'x-long')!;
    expect(decodeWords(header.value)).toBe(value);
  });

  it('nests alternatives, related images and attachments, with all bytes unchanged', async () => {
    const image = attachment({
      file_name: 'logo.png',
      content_type: 'image/png',
      cid: 'logo',
      bytes: Buffer.alloc(9001, 7),
    });
    const report = attachment({ file_name: 'Bericht – März, "neu".pdf', content_type: 'application/pdf' });
    const loose = attachment({ file_name: 'loose.gif', content_type: 'image/gif', cid: 'unused' });
    const empty = attachment({ file_name: 'empty.txt', content_type: 'text/plain', bytes: Buffer.alloc(0) });
    const message = mail({ text: 'plain', html: '<img src="cid:logo">', attachments: [image, report, loose, empty] });
    expect(raw(message)).toMatch(
      /multipart\/mixed[^]*multipart\/alternative[^]*text\/plain[^]*multipart\/related[^]*text\/html[^]*image\/png/,
    );
    const { attachments, text, html } = await parsed(message);
    expect(text?.trim()).toBe('plain');
    expect(html?.trim()).toBe('<img src="cid:logo">');
    const found = attachments.map((part) => [part.filename, part.disposition, part.related ?? false, part.contentId]);
    expect(found).toEqual([
      ['logo.png', 'inline', true, '<logo>'],
      [report.file_name, 'attachment', false, undefined],
      ['loose.gif', 'attachment', false, '<unused>'],
      ['empty.txt', 'attachment', false, undefined],
    ]);
    const bytes = attachments.map((part) => contentBytes(part.content));
    expect(bytes).toEqual([image.bytes, report.bytes, loose.bytes, empty.bytes]);
  });

  it.each([
    ['long lines', 'word '.repeat(500) + 'x'.repeat(5000)],
    ['lines that begin with dots', '.\r\n..\r\n.a\r\n. b'],
    ['every kind of line end', 'a\nb\rc\r\nd'],
    ['blanks at line ends', 'a  \nb\t\n\n\nc '],
    ['emoji and umlauts', 'Grüße 🐘\nzum 👩‍👩‍👧\u200d'],
    ['a lookalike boundary', '--=_lm-0-Part_1\n--=_lm--\n'],
  ])('carries text with %s', async (_, text) => {
    const wanted = text.replace(/\r\n|\r|\n/g, '\n');
    for (const message of [mail({ text }), mail({ text, html: `<p>${text}</p>` })]) {
      const lines = raw(message).split('\r\n');
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(998);
      expect(raw(message).replace(/\r\n/g, '')).not.toMatch(/[\r\n]/);
      expect(textOf((await parsed(message)).text)).toBe(withoutEnd(wanted));
    }
  });

  it('carries arbitrary text and files', async () => {
    const files = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), files, async (text, contents) => {
        const attachments = contents.map((bytes) => attachment({ bytes: Buffer.from(bytes) }));
        const read = await parsed(mail({ text: `a${text}z`, html: '<b>x</b>', attachments }));
        const clean = `a${text}z`.replace(/\r\n|\r|\n/g, '\n');
        expect(textOf(read.text)).toBe(clean);
        expect(read.attachments.map((part) => contentBytes(part.content))).toEqual(
          attachments.map(({ bytes }) => bytes),
        );
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['message/rfc822', 'Subject: a\r\n\r\n.dot\r\n', 'message/rfc822'],
    ['message/rfc822', 'Subject: a\n\nbare line feeds\n', 'application/octet-stream'],
    ['message/rfc822', 'Subject: ü\r\n\r\n', 'application/octet-stream'],
    ['multipart/mixed; boundary=x', '--x--', 'application/octet-stream'],
    ['text/plain\r\nX-Evil: 1', 'a', 'application/octet-stream'],
    ['nonsense', 'a', 'application/octet-stream'],
    ['text/csv; charset="iso-8859-1"', 'a;b', 'text/csv'],
  ])('sends a part of type %j without changing its bytes', async (content_type, text, sent) => {
    const message = mail({ text: 'a', attachments: [attachment({ content_type, bytes: Buffer.from(text) })] });
    expect(raw(message)).not.toMatch(/^X-Evil/m);
    expect(raw(message)).toContain(`Content-Type: ${sent}`);
    if (sent === 'message/rfc822') expect(raw(message)).toContain(`\r\n\r\n${text}\r\n--`);
    else expect(contentBytes((await parsed(message)).attachments[0]!.content).toString()).toBe(text);
  });

  it('composes a mail without a body, and one with a file only', async () => {
    expect(textOf((await parsed(mail())).text)).toBe('');
    const alone = await parsed(mail({ attachments: [attachment()] }));
    expect(contentBytes(alone.attachments[0]!.content)).toEqual(attachment().bytes);
  });

  it('sets eightBit only for UTF-8 local parts', () => {
    expect(composeMail(mail({ text: 'ü', subject: 'ü' })).eightBit).toBe(false);
    expect(composeMail(mail({ to: { email: 'jörg@example.com' }, text: 'a' })).eightBit).toBe(true);
  });
});
