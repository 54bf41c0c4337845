import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ProblemFilter, type Logger } from '@lettermill/runtime';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { ParsedMail } from './mail.parsed';
import { Mailbox } from './mailbox';
import { KEY_CHECK } from './mailbox.guard';
import { MailboxModule } from './mailbox.module';

const logger = { warn: jest.fn(), error: jest.fn(), debug: jest.fn() } as unknown as Logger;
const API = '/mailbox/api/messages';
const HOSTILE_HTML = `<html><head><meta http-equiv="refresh" content="0;url=https://evil.example/r">
<link rel="preconnect" href="https://evil.example"></head><body onload="steal()"><script>steal()</script>
<img src="https://evil.example/pixel" onerror="steal()"><svg onload="steal()"><script>steal()</script></svg>
<form action="https://evil.example"><input autofocus onfocus="steal()"></form><iframe src="https://evil.example"></iframe>
<a href="javascript:steal()">x</a></body></html>`;

let directory: string;
let mailbox: Mailbox;
let app: NestFastifyApplication;

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers: { host: 'localhost:3000', ...headers } });
const remove = (url: string) => app.inject({ method: 'DELETE', url, headers: { host: 'localhost:3000' } });

/** Sends a mail by SMTP; resolves to its id. */
async function send(mail: SendMailOptions): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: mailbox.port, ignoreTLS: true });
  const sent = await transport.sendMail({ from: 'sam@example.com', to: 'ada@example.com', ...mail });
  return /kept as (\w{18})/.exec(sent.response)![1]!;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbox-'));
  mailbox = await Mailbox.open({ directory, logger });
  const keyCheck = { provide: KEY_CHECK, useValue: (key?: string) => Promise.resolve(key === 'Bearer right') };
  const module = await Test.createTestingModule({ imports: [MailboxModule.of({ mailbox, keyCheck })] }).compile();
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  app.useGlobalFilters(new ProblemFilter());
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});

afterEach(() => mailbox.store.clear());

afterAll(async () => {
  await app.close();
  await mailbox.close();
  await rm(directory, { recursive: true });
});

describe('the API of the mailbox', () => {
  it('returns 404 as a problem for what does not exist', async () => {
    const id = await send({ subject: 'text only', text: 'hello' });
    const missing = 'VbbKwy6FPOEZlnwcPt';
    const answers = await Promise.all([
      ...['', '/raw', '/html', '/attachments/0'].map((rest) => get(`${API}/${missing}${rest}`)),
      ...['/html', '/attachments/0', '/attachments/-1', '/attachments/length', '/attachments/__proto__'].map((rest) =>
        get(`${API}/${id}${rest}`),
      ),
      get(`${API}/..%2f..%2fetc%2fpasswd/raw`),
      remove(`${API}/${missing}`),
    ]);
    for (const { statusCode, headers, body } of answers) {
      expect(statusCode).toBe(404);
      expect(headers['content-type']).toContain('application/problem+json');
      expect(JSON.parse(body)).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('refuses an invalid limit', async () => {
    for (const limit of ['0', '-1', '1001', 'x', '1e2', '']) {
      expect((await get(`${API}?limit=${limit}`)).statusCode).toBe(400);
    }
  });

  it.each([
    ['GET', '/mailbox'],
    ['GET', '/mailbox/app.js'],
    ['GET', API],
    ['GET', `${API}/x/raw`],
    ['GET', `${API}/x/html`],
    ['GET', `${API}/x/attachments/0`],
    ['DELETE', API],
    ['DELETE', `${API}/x`],
  ] as const)('%s %s is refused without a key and allowed with one', async (method, url) => {
    const headers = { host: 'mail.example' };
    const refusal = await app.inject({ method, url, headers, remoteAddress: '10.0.0.9' });
    expect(refusal.statusCode).toBe(401);
    expect(refusal.headers['www-authenticate']).toBe('Bearer');
    const authorization = 'Bearer right';
    const answer = await app.inject({ method, url, headers: { ...headers, authorization }, remoteAddress: '10.0.0.9' });
    expect([200, 204, 404]).toContain(answer.statusCode);
  });

  it('returns the list with an ETag that is valid until something changes', async () => {
    const id = await send({ subject: 'one', text: 'hello', bcc: 'hidden@example.com' });
    const first = await get(API);
    expect(first.json()).toEqual({
      data: [
        {
          id,
          from: 'sam@example.com',
          from_name: '',
          to: ['ada@example.com', 'hidden@example.com'],
          subject: 'one',
          received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          size: expect.any(Number),
        },
      ],
    });
    const tag = { 'if-none-match': String(first.headers['etag']) };
    const same = await get(API, tag);
    expect([same.statusCode, same.body]).toEqual([304, '']);
    await send({ subject: 'two', text: 'hello' });
    const next = await get(API, tag);
    expect(next.json().data.map(({ subject }: { subject: string }) => subject)).toEqual(['two', 'one']);
    expect((await get(`${API}?limit=1`)).json().data).toHaveLength(1);
    expect((await get(`${API}?limit=1`, { 'if-none-match': String(next.headers['etag']) })).statusCode).toBe(200);
  });

  it('returns a mail in full, in every script', async () => {
    const id = await send({
      from: '"田中 さくら" <sakura@example.jp>',
      to: '"محمد علي" <m@example.com>, Καλημέρα <k@example.com>',
      cc: 'Łukasz <l@example.com>',
      replyTo: '"Дмитрий, мл." <d@example.com>',
      subject: 'ご注文 — 🎉 שלום',
      date: new Date('2026-02-03T04:05:06Z'),
      text: 'наш текст',
      html: '<p>नमस्ते</p>',
      headers: { 'X-Custom': 'grüße' },
      attachments: [{ filename: '請求書 №1.pdf', content: 'pdf', contentType: 'application/pdf', cid: 'a.b~c' }],
    });
    const mail = (await get(`${API}/${id}`)).json<ParsedMail>();
    expect(mail).toMatchObject({
      id,
      from: { email: 'sakura@example.jp', name: '田中 さくら' },
      to: [
        { email: 'm@example.com', name: 'محمد علي' },
        { email: 'k@example.com', name: 'Καλημέρα' },
      ],
      cc: [{ email: 'l@example.com', name: 'Łukasz' }],
      reply_to: [{ email: 'd@example.com', name: 'Дмитрий, мл.' }],
      subject: 'ご注文 — 🎉 שלום',
      date: '2026-02-03T04:05:06.000Z',
      attachments: [{ index: 0, file_name: '請求書 №1.pdf', content_type: 'application/pdf', size: 3, cid: 'a.b~c' }],
      envelope: { from: 'sakura@example.jp', to: ['m@example.com', 'k@example.com', 'l@example.com'] },
    });
    expect(mail.text).toContain('наш текст');
    expect(mail.html).toContain('<p>नमस्ते</p>');
    expect(mail.headers).toContainEqual({ name: 'X-Custom', value: 'grüße' });
    expect(Object.keys(mail)).toEqual(expect.arrayContaining(['received_at', 'size', 'cc', 'reply_to']));
  });

  it('returns the mail as it was received, to be saved or viewed', async () => {
    const id = await send({ subject: 'raw', html: '<script>x</script>' });
    const [saved, viewed] = [await get(`${API}/${id}/raw`), await get(`${API}/${id}/raw?view`)];
    expect(saved.headers['content-type']).toBe('message/rfc822');
    expect(saved.headers['content-disposition']).toContain(`${id}.eml`);
    expect(saved.body).toMatch(/^From: sam@example\.com\r\n/);
    expect(viewed.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(viewed.body).toBe(saved.body);
    expect(Number(saved.headers['content-length'])).toBe(saved.rawPayload.length);
    for (const { headers } of [saved, viewed]) {
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain('sandbox;');
    }
  });

  it('disarms hostile html', async () => {
    const id = await send({ subject: 'hostile', html: HOSTILE_HTML });
    const answer = await get(`${API}/${id}/html`);
    const policy = String(answer.headers['content-security-policy']);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'x-dns-prefetch-control': 'off',
    });
    for (const part of ['sandbox ', "default-src 'none'", 'img-src data:;', "form-action 'none'", "base-uri 'none'"]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|allow-forms|https:|script-src|unsafe-eval/);
    expect(answer.body).not.toMatch(/<script>|<link|<iframe|<meta http-equiv="refresh/i);
    const remote = String((await get(`${API}/${id}/html?remote=1`)).headers['content-security-policy']);
    expect(remote).toContain('img-src data: https:;');
    expect(remote).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
    for (const query of ['?remote=0', '?remote=', '?remote=1&remote=1', '?Remote=1']) {
      expect((await get(`${API}/${id}/html${query}`)).headers['content-security-policy']).toBe(policy);
    }
  });

  it('embeds images of the mail in its html', async () => {
    const content = Buffer.from([137, 80, 78, 71]);
    const id = await send({
      html: '<img src="cid:logo@x"><img src="cid:page">',
      attachments: [
        { filename: 'logo.png', content, cid: 'logo@x' },
        { filename: 'page.html', content: '<script>steal()</script>', cid: 'page' },
      ],
    });
    const { body } = await get(`${API}/${id}/html`);
    expect(body).toContain(`src="data:image/png;base64,${content.toString('base64')}"`);
    expect(body).toContain('src="cid:page"');
  });

  it('lets attachments only be saved, never opened', async () => {
    const id = await send({
      text: 'see there',
      attachments: [
        { filename: 'page.html', content: '<script>steal()</script>', contentType: 'text/html' },
        { filename: 'Größe.svg', content: '<svg onload="steal()"/>', contentType: 'image/svg+xml' },
      ],
    });
    const [page, image] = [await get(`${API}/${id}/attachments/0`), await get(`${API}/${id}/attachments/1`)];
    expect(page.body).toBe('<script>steal()</script>');
    expect(image.headers['content-disposition']).toBe(
      `attachment; filename="Gr__e.svg"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.svg`,
    );
    for (const { headers, rawPayload } of [page, image]) {
      expect(headers['content-disposition']).toMatch(/^attachment;/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("sandbox; default-src 'none'");
      expect(Number(headers['content-length'])).toBe(rawPayload.length);
    }
  });

  it('removes one mail, and clears all', async () => {
    const id = await send({ subject: 'one', text: 'a' });
    await send({ subject: 'two', text: 'b' });
    expect((await remove(`${API}/${id}`)).statusCode).toBe(204);
    expect((await get(`${API}/${id}`)).statusCode).toBe(404);
    expect((await get(API)).json().data).toHaveLength(1);
    const cleared = await remove(API);
    expect([cleared.statusCode, cleared.body]).toEqual([204, '']);
    expect((await get(API)).json()).toEqual({ data: [] });
  });
});

describe('the page', () => {
  it('has its own policy and loads nothing from elsewhere', async () => {
    const page = await get('/mailbox');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.body).toContain(`smtp://127.0.0.1:${mailbox.port}`);
  });

  it('is cached by browsers: parts for ever under the address with their tag, else revalidated', async () => {
    const { body } = await get('/mailbox');
    const parts = [...body.matchAll(/(?:href|src)="(\/mailbox\/app\.(?:css|js)\?v=[\w-]+)"/g)].map(([, url]) => url!);
    expect(parts).toHaveLength(2);
    for (const url of ['/mailbox', ...parts]) {
      const first = await get(url);
      expect(first.headers['cache-control']).toContain(url === '/mailbox' ? 'no-cache' : 'immutable');
      const again = await get(url, { 'if-none-match': `W/${String(first.headers['etag'])}` });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
    expect((await get('/mailbox/app.js?v=old')).headers['cache-control']).toContain('no-cache');
  });
});
