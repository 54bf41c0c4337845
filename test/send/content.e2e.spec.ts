import { decodeWords } from 'postal-mime';
import { installedWithSink } from '../installations/installed';
import { Lettermill } from '../installations/lettermill';
import { SmtpSink, type ReceivedMail } from '../installations/smtp.sink';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const file = (file_name: string, data: string, cid?: string) => ({ attachment_type: 'file', file_name, data, cid });
const headLines = ({ raw }: ReceivedMail) =>
  raw
    .toString()
    .split('\r\n\r\n')[0]!
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n');
const headerLines = (mail: ReceivedMail, name: string) => headLines(mail).filter((line) => line.startsWith(`${name}:`));

describe('a mail arrives intact with', () => {
  const { sink, lettermill } = installedWithSink();
  let count = 0;
  beforeAll(async () => {
    const from = { email: 'billing@münchen.example', name: 'Müller, "Söhne" & Co.' };
    await lettermill.launch('order', { from, html: '<p>Hello</p>' });
  });

  /** Sends a request to one recipient; resolves to the mail. */
  const sendAndReceive = async (message: object, more: object = {}): Promise<ReceivedMail> => {
    const to = `content-${(count += 1)}@example.com`;
    const { status, body } = await lettermill.send({ campaign: 'order', to, message, ...more });
    expect([status, body]).toEqual([202, expect.anything()]);
    return sink.firstMailTo(to);
  };

  it.each([
    ['255 emoji', '🦉'.repeat(255)],
    ['joined emoji', '👩‍👩‍👧‍👦'.repeat(36) + 'xyz'],
    ['255 Cyrillic letters', 'ж'.repeat(255)],
    ['255 letters in one word', 'x'.repeat(255)],
    ['lookalikes of encoded words', '=?utf-8?q?=41?= and =?x'],
    ['consecutive blanks', 'a  b   c'],
    ['commas, quotes, colons', 'Re: "a", <b@c.d>; e\\'],
  ])('a subject of %s', async (_what, subject) => {
    expect((await sendAndReceive({ subject })).mail.subject).toBe(subject);
  });

  it.each([
    '"a b"@example.com',
    '"a@b"@example.com',
    '"a\\"b,c<d>"@example.com',
    '"..dots.."@example.com',
    "!#$%&'*+-/=?^_`{|}~@example.com",
    `${'l'.repeat(64)}@example.com`,
    'jörg@example.com',
    '用户@example.com',
  ])('the address %s', async (address) => {
    const { body } = await lettermill.send({ campaign: 'order', to: address });
    expect(await lettermill.until(body.messages[0]!.message_id, 'sent', 'failed', 'bounced')).toMatchObject({
      state: 'sent',
    });
    const mail = await sink.firstMailTo(address);
    expect(headerLines(mail, 'To')[0]).toContain(address);
  });

  it('internationalised domains, as A-labels in envelope and headers', async () => {
    const message = {
      cc: ['b@пример.example'],
      bcc: ['c@例え.example'],
      reply_to: { email: 'r@bücher.example', name: 'R' },
    };
    await lettermill.send({ campaign: 'order', to: { email: 'ada@bücher.example', name: 'Ada' }, message });
    const mail = await sink.firstMailTo('ada@bücher.example');
    const written = mail.raw.toString('latin1');
    expect(written).not.toMatch(/[^\u0000-\u007f]/);
    expect(headerLines(mail, 'To')).toEqual(['To: Ada <ada@xn--bcher-kva.example>']);
    expect(headerLines(mail, 'Cc')).toEqual(['Cc: b@xn--e1afmkfd.example']);
    expect(headerLines(mail, 'Reply-To')).toEqual(['Reply-To: R <r@xn--bcher-kva.example>']);
    expect(headerLines(mail, 'From')[0]).toMatch(/<billing@xn--mnchen-3ya\.example>$/);
    expect(mail.mail.from).toMatchObject({ name: 'Müller, "Söhne" & Co.' });
    expect(mail.to).toHaveLength(3);
    expect(written).not.toContain('r8jz45g');
  });

  it.each(['Doe, Jane', '"quoted"', 'a (b) c', 'x@y.z', 'Ünï, "cödé"', 'back\\slash', "O'Brien; <admin>", '王, 小明'])(
    'the name %s in every kind of address',
    async (name) => {
      const one = (email: string) => ({ email, name });
      const address = `named-${(count += 1)}@example.com`;
      const message = { cc: [one('cc@example.com'), one('cc2@example.com')], reply_to: one('r@example.com') };
      await lettermill.send({ campaign: 'order', to: one(address), message });
      const { mail } = await sink.firstMailTo(address);
      expect([...mail.to!, ...mail.cc!, ...mail.replyTo!].map((found) => found.name)).toEqual([name, name, name, name]);
    },
  );

  it('100 headers in their order, even with long names and values', async () => {
    const headers = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`X-Number-${i}`, `value ${i} ü`]));
    headers[`X-${'n'.repeat(198)}`] = 'a long name';
    headers['X-Long'] = 'word '.repeat(900).trim();
    headers['List-Unsubscribe'] = `<https://example.com/${'u'.repeat(900)}>, <mailto:u@example.com>`;
    const { mail } = await sendAndReceive({ headers });
    const found = mail.headers.filter(({ key }) => /^(x-|list-)/.test(key));
    expect(found.map(({ key, value }) => [key, decodeWords(value)])).toEqual(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
  });

  it('in_reply_to and References, and without headers that are null or restricted', async () => {
    const answer = await sendAndReceive({ in_reply_to: '<1001@shop.example>' });
    expect([headerLines(answer, 'In-Reply-To'), headerLines(answer, 'References')]).toEqual([
      ['In-Reply-To: <1001@shop.example>'],
      ['References: <1001@shop.example>'],
    ]);
    const thread = await sendAndReceive({ in_reply_to: '<2@b>', headers: { references: '<1@b> <2@b>' } });
    expect([headerLines(thread, 'References'), headerLines(thread, 'references')]).toEqual([
      [],
      ['references: <1@b> <2@b>'],
    ]);
    const names = ['From', 'To', 'Cc', 'Bcc', 'Subject', 'Reply-To', 'In-Reply-To', 'Content-Type', 'MIME-Version'];
    const owned = [
      'Date',
      'Message-ID',
      'Return-Path',
      'Received',
      'Sender',
      'Content-Language',
      'DKIM-Signature',
      'ARC-Seal',
    ];
    const spelled = [...names, ...owned].flatMap((name) => [name.toUpperCase(), name.toLowerCase()]);
    const forged = await sendAndReceive({
      headers: { ...Object.fromEntries(spelled.map((name) => [name, 'forged'])), 'X-Kept': 'k' },
    });
    expect(forged.raw.toString()).not.toContain('forged');
    expect(headerLines(forged, 'X-Kept')).toEqual(['X-Kept: k']);
    const headers = { 'X-Kept': 'request', 'x-gone': 'request' };
    const to = { contact_key: 'null-1@example.com', message: { headers: { 'X-GONE': null } } };
    await lettermill.send({ campaign: 'order', to, message: { headers } });
    const gone = headLines(await sink.firstMailTo('null-1@example.com')).filter((line) => /^x-/i.test(line));
    expect(gone).toEqual(['X-Kept: request']);
  });

  it('images by cid in html of the campaign, the request and the recipient', async () => {
    const html = (cid: string) => `<p><img src="cid:${cid}"></p>`;
    await lettermill.launch('pictures', { html: html('logo'), attachments: [file('logo.png', PNG, 'logo')] });
    const to = [
      'cid-1@example.com',
      { contact_key: 'cid-2@example.com', message: { html: html('own') }, attachments: [file('own.png', PNG, 'own')] },
    ];
    await lettermill.send({ campaign: 'pictures', to, attachments: [file('plain.pdf', PNG)] });
    const shown = async (address: string) =>
      (await sink.firstMailTo(address)).mail.attachments.map(({ filename, contentId, related }) => [
        filename,
        contentId,
        related ?? false,
      ]);
    expect(await shown('cid-1@example.com')).toEqual([
      ['logo.png', '<logo>', true],
      ['plain.pdf', undefined, false],
    ]);
    expect(await shown('cid-2@example.com')).toEqual([
      ['own.png', '<own>', true],
      ['logo.png', '<logo>', expect.any(Boolean)],
      ['plain.pdf', undefined, false],
    ]);
  });

  it('files with names in every script', async () => {
    const names = ['Rechnung – März.pdf', 'счёт.pdf', 'فاتورة.pdf', 'חשבונית.pdf', '請求書.pdf', 'बिल.pdf', '🧾🧾.pdf'];
    const more = [`${'n'.repeat(251)}.txt`, 'it\'s "quoted"; x=y.txt', '%41 100%.txt', "UTF-8''a.txt", ' blanks .txt'];
    for (let i = 0; i < 2; i += 1) {
      const these = [...names, ...more].slice(i * 6, i * 6 + 6);
      const { mail } = await sendAndReceive({}, { attachments: these.map((name) => file(name, 'QQ==')) });
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(these);
    }
  });

  it('text alone, html alone, both, or neither', async () => {
    await lettermill.launch('bare', { text: 'campaign', html: undefined });
    const types = ({ raw }: ReceivedMail) =>
      raw
        .toString()
        .match(/^Content-Type: [a-z/]+/gm)!
        .map((line) => line.slice(14));
    const bare = (message: object) => sendAndReceive(message, { campaign: 'bare' });
    const plain = await bare({ text: 'only text' });
    expect([types(plain), plain.mail.text!.trim()]).toEqual([['text/plain'], 'only text']);
    const both = await bare({ text: 'both', html: '<p>both</p>' });
    expect(types(both)).toEqual(['multipart/alternative', 'text/plain', 'text/html']);
    const neither = await bare({ text: '' });
    expect([neither.mail.text?.trim() ?? '', neither.mail.html]).toEqual(['', undefined]);
    await lettermill.launch('page', { text: undefined, html: '<p>page of the campaign</p>' });
    const page = await sendAndReceive({}, { campaign: 'page' });
    expect(page.mail.text).toContain('page of the campaign');
  });
});

describe('a campaign with on_missing: fail', () => {
  const { sink, lettermill } = installedWithSink();

  it('fails a message that lacks data, names the variable, and sends the others', async () => {
    const reset = { subject: 'Your link', text: undefined, html: '<p>{{ reset_url }}</p>', on_missing: 'fail' };
    expect(await lettermill.launch('reset', reset)).toMatchObject({ body: { on_missing: 'fail' } });
    const to = [
      { contact_key: 'ada@example.com', profile_data: { reset_url: 'https://shop.example/r/1' } },
      { contact_key: 'bob@example.com', profile_data: { rest_url: 'https://shop.example/r/2' } },
    ];
    const { body } = await lettermill.send({ campaign: 'reset', to });
    const [ada, bob] = body.messages.map(({ message_id }) => message_id);
    const detail = 'html, line 1, column 7: undefined variable: reset_url';
    const failed = await lettermill.until(bob!, 'sent', 'failed');
    expect(failed).toMatchObject({ state: 'failed', reason: { code: 'render_error', detail } });
    expect(await lettermill.until(ada!, 'sent', 'failed')).toMatchObject({ state: 'sent' });
    expect(sink.mails.map(({ mail }) => mail.text!.trim())).toEqual(['https://shop.example/r/1']);
  });
});

describe('a next hop that does not offer SMTPUTF8', () => {
  it('gets no mail to a non-ASCII local part, which fails with a code of its own', async () => {
    const sink = await new SmtpSink({ hideSMTPUTF8: true }).start();
    const lettermill = await Lettermill.start({ SMTP_URL: sink.url });
    try {
      await lettermill.launch('order');
      const { body } = await lettermill.send({ campaign: 'order', to: ['jörg@example.com', 'ada@bücher.example'] });
      const [utf8, ascii] = body.messages.map(({ message_id }) => message_id);
      expect(await lettermill.until(ascii!, 'sent', 'failed')).toMatchObject({ state: 'sent' });
      const failed = await lettermill.until(utf8!, 'sent', 'failed');
      expect(failed).toMatchObject({ state: 'failed', reason: { code: 'smtputf8_unsupported' } });
      expect(sink.mails).toHaveLength(1);
    } finally {
      await lettermill.destroy();
      await sink.stop();
    }
  });
});
