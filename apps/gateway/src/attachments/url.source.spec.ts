import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../../../test/self.signed';
import { type FetchRefused, UrlSource } from './url.source';

/** Every way of writing an address of the inside that the parser of URLs is known to take or refuse. */
const LOOPBACK_FORMS = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0',
    '0.0.0.0',
    '00.0.0.0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
  ],
  ...[
    '0177.0.0.1',
    '127.0.0.1.',
    '127.000.000.001',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ],
  ...[
    '[::7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '127%2e0%2e0%2e1',
    '%31%32%37.0.0.1',
    '[fe80::1]',
    '[fd00::1]',
    '[ff02::1]',
  ],
  ...[
    '169.254.169.254',
    '[fd00:ec2::254]',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '168.63.129.16',
  ],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
  ],
];
const SCHEMES = ['http://', 'ftp://', 'file://', 'gopher://', 'data:', 'ws://', 'javascript:', '//', ''];

describe('files by address', () => {
  let directory: string;
  let server: Server;
  let base: string;
  let connections = 0;
  const names = new Map<string, string[]>();

  const source = (allow: string[] = ['127.0.0.1']) =>
    new UrlSource(allow, 'Test/1', (host) => Promise.resolve(names.get(host) ?? []));
  const read = async (address: string, maxBytes = 1000, from = source()) => {
    const { contentType, body } = await from.open(address, maxBytes);
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

  it.each(LOOPBACK_FORMS)('sends nothing to https://%s', async (host) => {
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

  it('refuses a name of which any address is not public', async () => {
    names.set('mixed.test', ['93.184.216.34', '127.0.0.1']);
    names.set('inside.test', ['10.0.0.8']);
    names.set('mapped.test', ['::ffff:127.0.0.1']);
    for (const host of ['mixed.test', 'inside.test', 'mapped.test']) {
      expect(await codeOf(read(`https://${host}${base}/`, 1000, source([])))).toBe('attachment_address_refused');
    }
    expect(await codeOf(read('https://unknown.test/'))).toBe('attachment_fetch_failed');
    expect(connections).toBe(0);
  });

  it('asks for the name once and connects to the answer, whatever it says later', async () => {
    let asked = 0;
    const rebinding = new UrlSource([], 'Test/1', () => {
      asked += 1;
      return Promise.resolve(asked === 1 ? ['192.0.2.1'] : ['127.0.0.1']);
    });
    expect(await codeOf(read(`https://rebind.test${base}/`, 1000, rebinding))).toBe('attachment_address_refused');
    expect([asked, connections]).toEqual([1, 0]);
  });

  it('trusts no certificate that nobody vouches for', async () => {
    expect(await codeOf(read(`https://files.test${base}/`))).toBe('attachment_fetch_failed');
    expect(connections).toBe(1);
  });
});
