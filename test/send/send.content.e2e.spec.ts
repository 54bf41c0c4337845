import { installedWithSink } from '../installations/installed';
import type { ReceivedMail } from '../installations/smtp.sink';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the content of a mail', () => {
  const { sink, lettermill } = installedWithSink();
  beforeAll(() => lettermill.launch('order'));

  const header = ({ mail }: ReceivedMail, name: string) => mail.headers.filter(({ key }) => key === name.toLowerCase());

  it('takes each field from the recipient, else the request, else the campaign', async () => {
    await lettermill.launch('levels', {
      subject: 'campaign {{ first_name }}',
      text: 'campaign text',
      html: '<p>campaign <b>{{ first_name }}</b></p>',
      reply_to: { email: 'campaign@shop.example' },
      cc: ['cc-campaign@example.com'],
      bcc: ['bcc-campaign@example.com'],
      headers: { 'X-One': 'campaign', 'X-Two': 'campaign', 'X-Gone': 'campaign' },
    });
    await lettermill.send({
      campaign: 'levels',
      message: {
        subject: 'request {{ first_name }}',
        cc: ['cc-request@example.com'],
        headers: { 'x-one': 'request', 'X-Gone': null, 'X-Three': 'request' },
      },
      profile_data: { first_name: '<Ada & co>' },
      to: [
        'levels-1@example.com',
        {
          contact_key: 'levels-2@example.com',
          message: {
            subject: 'recipient {{ first_name }}',
            text: 'recipient text',
            html: '<p>recipient</p>',
            reply_to: { email: 'recipient@shop.example', name: 'R' },
            cc: [],
            bcc: ['bcc-recipient@example.com'],
            in_reply_to: '<earlier@shop.example>',
            headers: {
              'X-Two': 'recipient',
              Bcc: 'ignored@example.com',
              'content-type': 'x/y',
              'Message-ID': '<own@x>',
            },
          },
        },
      ],
    });
    const one = await sink.firstMailTo('levels-1@example.com');
    expect(one.to.sort()).toEqual(['bcc-campaign@example.com', 'cc-request@example.com', 'levels-1@example.com']);
    expect(one.mail).toMatchObject({
      subject: 'request <Ada & co>',
      replyTo: [{ address: 'campaign@shop.example' }],
      cc: [{ address: 'cc-request@example.com' }],
    });
    expect(one.mail.html).toContain('<p>campaign <b>&lt;Ada &amp; co&gt;</b></p>');
    expect(one.mail.text!.trim()).toBe('campaign text');
    expect(one.mail.bcc).toBeUndefined();
    expect(header(one, 'X-One')).toMatchObject([{ value: 'request' }]);
    expect(header(one, 'X-Two')).toMatchObject([{ value: 'campaign' }]);
    expect(header(one, 'X-Three')).toMatchObject([{ value: 'request' }]);
    expect(header(one, 'X-Gone')).toEqual([]);

    const two = await sink.firstMailTo('levels-2@example.com');
    expect(two.to.sort()).toEqual(['bcc-recipient@example.com', 'levels-2@example.com']);
    expect(two.mail).toMatchObject({
      subject: 'recipient <Ada & co>',
      replyTo: [{ address: 'recipient@shop.example', name: 'R' }],
      inReplyTo: '<earlier@shop.example>',
      references: '<earlier@shop.example>',
    });
    expect(two.mail.cc).toBeUndefined();
    expect(two.mail.html).toContain('<p>recipient</p>');
    expect(two.mail.text!.trim()).toBe('recipient text');
    expect(header(two, 'X-Two')).toMatchObject([{ value: 'recipient' }]);
    expect(header(two, 'Message-ID')).toHaveLength(1);
    expect(two.mail.messageId).not.toBe('<own@x>');
    expect(two.raw.toString()).not.toContain('ignored@example.com');
    expect(two.raw.toString()).not.toContain('bcc-recipient');
  });

  it('attaches files of campaign, request and recipient, and inlines images', async () => {
    const file = (file_name: string, content: Buffer | string, cid?: string) => ({
      attachment_type: 'file',
      file_name,
      data: Buffer.from(content).toString('base64'),
      ...(cid && { cid }),
    });
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));
    await lettermill.launch('files', {
      subject: 'files',
      text: undefined,
      html: '<p>See <img src="cid:logo"> and more</p>',
      attachments: [file('logo.png', PNG, 'logo')],
    });
    await lettermill.send({
      campaign: 'files',
      attachments: [file('Rechnung № 7 – Öl.pdf', bytes)],
      to: [
        { contact_key: 'files-1@example.com', attachments: [file('только вам.txt', 'nur für dich')] },
        'files-2@example.com',
      ],
    });
    const one = (await sink.firstMailTo('files-1@example.com')).mail;
    expect(one.attachments.map(({ filename, mimeType, contentId }) => [filename, mimeType, contentId])).toEqual([
      ['logo.png', 'image/png', '<logo>'],
      ['Rechnung № 7 – Öl.pdf', 'application/pdf', undefined],
      ['только вам.txt', 'text/plain', undefined],
    ]);
    expect(one.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer))).toEqual([
      PNG,
      bytes,
      Buffer.from('nur für dich'),
    ]);
    expect(one.text!.trim()).toContain('See');
    const two = (await sink.firstMailTo('files-2@example.com')).mail;
    expect(two.attachments.map(({ filename }) => filename)).toEqual(['logo.png', 'Rechnung № 7 – Öl.pdf']);
  });

  it('carries long lines, dots, emoji and every script as they are', async () => {
    const text = ['.', '..', '.hidden', 'x'.repeat(3000), 'Zażółć gęślą jaźń 🦉 漢字 عربى', ' trailing ', ''].join(
      '\r\n',
    );
    const subject = '🦉 '.repeat(85);
    await lettermill.send({ campaign: 'order', to: 'bytes@example.com', message: { text, subject } });
    const sunk = await sink.firstMailTo('bytes@example.com');
    expect(sunk.mail.text!.replace(/\r?\n/g, '\r\n').trimEnd()).toBe(text.trimEnd());
    expect(sunk.mail.subject!.trim()).toBe(subject.trim());
    expect(
      Math.max(
        ...sunk.raw
          .toString('latin1')
          .split('\r\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(998);
    expect(sunk.raw.toString('latin1').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('compiles MJML of campaign, request and recipient, and makes the text from html', async () => {
    const mjml = (text: string) =>
      `<mjml><mj-body><mj-section><mj-column><mj-text>${text} {{ first_name }}</mj-text></mj-column></mj-section></mj-body></mjml>`;
    await lettermill.launch('mjml', { subject: 'm', text: undefined, html: mjml('Dear') });
    const call = { campaign: 'mjml', profile_data: { first_name: 'Grace' } };
    await lettermill.send({ ...call, to: 'mjml@example.com' });
    await lettermill.send({
      ...call,
      message: { html: mjml('Hello') },
      to: ['request.mjml@example.com', { contact_key: 'own.mjml@example.com', message: { html: mjml('Good day') } }],
    });
    for (const [to, text] of [
      ['mjml@example.com', 'Dear Grace'],
      ['request.mjml@example.com', 'Hello Grace'],
      ['own.mjml@example.com', 'Good day Grace'],
    ] as const) {
      const { mail } = await sink.firstMailTo(to);
      expect(mail.html).toContain(text);
      expect(mail.html).not.toContain('mj-text');
      expect(mail.text).toContain(text);
    }
  });
});
