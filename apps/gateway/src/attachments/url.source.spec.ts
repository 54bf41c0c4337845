import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { selfSigned } from '../../../../test/attachments/self.signed';
import { FORBIDDEN_ANSWERS, FORBIDDEN_HOSTS } from '../testing/forbidden.hosts';
import type { FetchRefused } from './fetch.refused';
import { UrlSource } from './url.source';

const SCHEMES = ['http://', 'ftp://', 'file://', 'gopher://', 'data:', 'ws://', 'javascript:', '//', ''];

describe('UrlSource', () => {
  let directory: string;
  let server: Server;
  let base: string;
  let connections = 0;
  const names = new Map<string, string[]>();

  const source = (allow: string[] = ['127.0.0.1']) =>
    new UrlSource(allow, 'Test/1', (host) => Promise.resolve(names.get(host) ?? []));
  const read = async (address: string, maxBytes = 1000, from = source()) => {
    const { contentType, body } = await from.open(address, maxBytes, new AbortController().signal);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { contentType, text: Buffer.concat(chunks).toString() };
  };
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'read',
      (error: FetchRefused) => error.code,
    );

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lettermill-tls-'));
    server = createServer(selfSigned(directory), (_request, response) => response.end('never'));
    server.on('connection', () => (connections += 1)).on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    connections = 0;
    names.clear();
    names.set('files.test', ['127.0.0.1']);
  });

  it(`knows ${FORBIDDEN_HOSTS.length} forbidden hosts`, () => {
    expect(FORBIDDEN_HOSTS.length).toBeGreaterThanOrEqual(150);
  });

  it.each(FORBIDDEN_HOSTS)('sends nothing to https://%s', async (host) => {
    const outcome = await codeOf(read(`https://${host}${base}/x`, 1000, source([])));
    expect(['attachment_address_refused', 'attachment_fetch_failed']).toContain(outcome);
    expect(connections).toBe(0);
  });

  it.each(SCHEMES)('reads no %s address', async (scheme) => {
    expect(await codeOf(read(`${scheme}127.0.0.1${base}/x`))).toBe('attachment_address_refused');
    expect(connections).toBe(0);
  });

  it('reads no address with credentials', async () => {
    for (const user of ['u:p@', 'u@', ':p@']) {
      expect(await codeOf(read(`https://${user}127.0.0.1${base}/x`))).toBe('attachment_address_refused');
    }
    expect(connections).toBe(0);
  });

  it('refuses an address that is forbidden by itself, without a lookup', () => {
    const asked: string[] = [];
    const from = new UrlSource(['127.0.0.1'], 'Test/1', (host) => {
      asked.push(host);
      return Promise.resolve([]);
    });
    const codes = [
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://0xa9fea9fe/',
      'https://u@x.org/',
      'http://x.org/',
      'x',
    ].map((address) => from.refusal(address)?.code);
    expect(codes).toEqual(codes.map(() => 'attachment_address_refused'));
    for (const address of ['https://127.0.0.1/', 'https://localhost/', 'https://x.org/', 'https://1.1.1.1/']) {
      expect(from.refusal(address)).toBeUndefined();
    }
    expect(asked).toEqual([]);
  });

  it('refuses a host name if any of its addresses is not public', async () => {
    names.set('mixed.test', ['93.184.216.34', '127.0.0.1']);
    names.set('inside.test', ['10.0.0.8']);
    names.set('mapped.test', ['::ffff:127.0.0.1']);
    for (const host of ['mixed.test', 'inside.test', 'mapped.test']) {
      expect(await codeOf(read(`https://${host}${base}/`, 1000, source([])))).toBe('attachment_address_refused');
    }
    expect(await codeOf(read('https://unknown.test/'))).toBe('attachment_fetch_failed');
    expect(connections).toBe(0);
  });

  it.each(FORBIDDEN_ANSWERS)('refuses a host name that resolves to %j, alone or among others', async (answer) => {
    for (const answers of [[answer], ['93.184.216.34', answer], [answer, '93.184.216.34']]) {
      names.set('leads.test', answers);
      expect(await codeOf(read(`https://leads.test${base}/`, 1000, source([])))).toBe('attachment_address_refused');
    }
    expect(connections).toBe(0);
  });

  it.each(FORBIDDEN_ANSWERS)('refuses a host name that only later resolves to %j', async (later) => {
    const asked: string[] = [];
    const turning = new UrlSource(['192.0.2.1'], 'Test/1', (host) => {
      asked.push(host);
      return Promise.resolve(asked.length === 1 ? ['127.0.0.1'] : [later]);
    });
    expect(await codeOf(read(`https://turns.test${base}/`, 1000, turning))).toBe('attachment_address_refused');
    expect(asked).toEqual(['turns.test']);
    expect(await codeOf(read(`https://turns.test${base}/`, 1000, turning))).toBe('attachment_address_refused');
    expect(connections).toBe(0);
  });

  it('distinguishes a host that cannot be looked up from one that does not exist', async () => {
    const unknown = new UrlSource([], 'Test/1', () => Promise.resolve([]));
    const silent = new UrlSource([], 'Test/1', () => Promise.reject(new Error('no answer')));
    await expect(read(`https://x.test${base}/`, 1000, unknown)).rejects.toMatchObject({
      code: 'attachment_fetch_failed',
      message: 'The host of the address does not exist.',
    });
    await expect(read(`https://x.test${base}/`, 1000, silent)).rejects.toMatchObject({
      code: 'attachment_fetch_failed',
      message: 'The host of the address could not be looked up.',
    });
  });

  it('looks a host name up once, and refuses it whatever a second lookup would return', async () => {
    let asked = 0;
    const rebinding = new UrlSource([], 'Test/1', () => {
      asked += 1;
      return Promise.resolve(asked === 1 ? ['192.0.2.1'] : ['127.0.0.1']);
    });
    expect(await codeOf(read(`https://rebind.test${base}/`, 1000, rebinding))).toBe('attachment_address_refused');
    expect([asked, connections]).toEqual([1, 0]);
  });

  it('tries the other addresses of the host if one does not answer', async () => {
    names.set('several.test', ['127.0.0.2', '127.0.0.3', '127.0.0.1']);
    const allowed = source(['127.0.0.0/24']);
    // The server that it reached has a certificate that nobody vouches for.
    expect(await codeOf(read(`https://several.test${base}/`, 1000, allowed))).toBe('attachment_fetch_failed');
    expect(connections).toBe(1);
  });

  it('does not report a server as unreachable because the process itself was busy while it connected', async () => {
    const reading = read(`https://files.test${base}/`);
    await turn();
    for (const end = Date.now() + 3_100; Date.now() < end;);
    // It reached the server; only the certificate was not trusted.
    await expect(reading).rejects.toThrow('The server cannot be reached, or its certificate is not trusted.');
    expect(connections).toBe(1);
  });

  it('refuses an untrusted certificate', async () => {
    expect(await codeOf(read(`https://files.test${base}/`))).toBe('attachment_fetch_failed');
    expect(connections).toBe(1);
  });
});
