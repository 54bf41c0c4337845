import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { readConfig } from '@lettermill/config';
import { createLogger } from '@lettermill/runtime';
import { createTransport } from 'nodemailer';
import { keyCheckOf, MailboxService } from './mailbox.service';

const KEY = 'the-key-of-account-default';

describe('the mailbox as a service of its own', () => {
  let dataDir: string;
  let service: MailboxService;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${service.port}${path}`, { headers });

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mailbox-service-'));
    const environment = { DATA_DIR: dataDir, BOOTSTRAP_API_KEY: KEY, MAILBOX_SMTP_PORT: '0' };
    const config = { ...readConfig(environment, 'mailbox'), port: 0 };
    service = new MailboxService(config, createLogger('silent'));
    await service.start();
  });
  afterAll(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true });
  });

  it('keeps what it receives, and shows it at the same paths as the gateway', async () => {
    const transport = createTransport({ host: '127.0.0.1', port: service.smtpPort, ignoreTLS: true });
    await transport.sendMail({ from: 'sam@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Hello Ada' });
    const { data } = (await (await get('/mailbox/api/messages')).json()) as { data: { subject: string }[] };
    expect(data).toMatchObject([{ subject: 'Hello', to: ['ada@example.com'] }]);
    expect((await get('/mailbox')).headers.get('content-type')).toContain('text/html');
  });

  it('shows the address of the gateway for the first call, not its own', async () => {
    expect(await (await get('/mailbox')).text()).toContain('data-api="http://127.0.0.1:3000"');
  });

  it('names the SMTP port of its host, not an address on this machine, if it is in its own network', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mailbox-open-'));
    const config = readConfig({ DATA_DIR: directory, HOST: '127.0.0.1', MAILBOX_OPEN: 'true' }, 'mailbox');
    const open = new MailboxService(
      { ...config, port: 0, mailbox: { ...config.mailbox, smtpPort: 0 } },
      createLogger('silent'),
    );
    await open.start();
    const page = await (await fetch(`http://127.0.0.1:${open.port}/mailbox`)).text();
    await open.stop();
    await rm(directory, { recursive: true });
    expect(page).toContain(`<code>port ${open.smtpPort} of its host</code>`);
  });

  it('hands reports of test addresses to the gateway, with its key, until they are taken', async () => {
    const taken: string[] = [];
    const statuses = [503, 202];
    const gateway = createServer((request, response) => {
      void text(request).then((body) => {
        const { authorization, 'content-type': type } = request.headers;
        taken.push(`${request.method} ${request.url} ${authorization} ${type} ${/^Subject: .*/m.exec(body)![0]}`);
        response.writeHead(statuses.shift()!).end();
        gateway.emit('taken');
      });
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    const { port } = gateway.address() as AddressInfo;
    const environment = { DATA_DIR: join(dataDir, 'reports'), BOOTSTRAP_API_KEY: KEY, MAILBOX_SMTP_PORT: '0' };
    const config = readConfig({ ...environment, GATEWAY_URL: `http://127.0.0.1:${port}` }, 'mailbox');
    const reporting = new MailboxService({ ...config, port: 0 }, createLogger('silent'));
    await reporting.start();
    const transport = createTransport({ host: '127.0.0.1', port: reporting.smtpPort, ignoreTLS: true });
    await transport.sendMail({ from: 'sam@example.com', to: 'returned@mailbox.invalid', text: 'Hello' });
    while (taken.length < 2) await once(gateway, 'taken');
    await reporting.stop();
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
    const call = `POST /v2/inbound/bounces Bearer ${KEY} message/rfc822 Subject: Undelivered Mail Returned to Sender`;
    expect(taken.map((one) => one.trim())).toEqual([call, call]);
  });

  it('says what to do if another program has the port of its SMTP server', async () => {
    const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', MAILBOX_SMTP_PORT: '1' }, 'mailbox');
    const taken = { ...config, port: 0, mailbox: { ...config.mailbox, smtpPort: service.smtpPort } };
    const second = new MailboxService(taken, createLogger('silent'));
    await expect(second.start()).rejects.toThrow('another program is using it; set MAILBOX_SMTP_PORT to another port');
  });

  it('is alive and ready, and serves metrics', async () => {
    expect((await get('/health/live')).status).toBe(200);
    const ready = await get('/health/ready');
    expect([ready.status, await ready.json()]).toMatchObject([200, { info: { disk: { status: 'up' } } }]);
    expect(await (await get('/metrics')).text()).toContain('lettermill_build_info');
  });

  it('returns a problem for other paths', async () => {
    const answer = await get('/v2/messages');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it.each([
    ['nobody without a key', {}, 401],
    ['nobody with a wrong key', { authorization: 'Bearer wrong' }, 401],
    ['whoever has the key', { authorization: `Bearer ${KEY}` }, 200],
  ])('lets in through a proxy %s', async (_who, headers, status) => {
    expect((await get('/mailbox', { ...headers, 'x-forwarded-for': '203.0.113.9' })).status).toBe(status);
  });
});

it('the key check accepts nothing if no key is set', async () => {
  await expect(keyCheckOf(null)('Bearer null')).resolves.toBe(false);
  await expect(keyCheckOf(null)(undefined)).resolves.toBe(false);
});
