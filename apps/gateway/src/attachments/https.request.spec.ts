import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type * as https from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../../../test/attachments/self.signed';
import { httpsAnswer } from './https.request';

const trusted: { cert?: Buffer } = {};
jest.mock('node:https', () => {
  const actual = jest.requireActual<typeof https>('node:https');
  // The process trusts the certificate of the server, as NODE_EXTRA_CA_CERTS would have it.
  const request = (url: URL, options: https.RequestOptions, done: never) =>
    actual.request(url, { ...options, ca: trusted.cert }, done);
  return { ...actual, request };
});

describe('a request for a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-tls-'));
  const tls = selfSigned(directory);
  const names: (string | boolean)[] = [];
  const server = createServer(tls, (request, response) => {
    names.push((request.socket as unknown as { servername: string | false }).servername);
    response.end('here');
  });
  let port: number;
  beforeAll(async () => {
    trusted.cert = tls.cert;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const answer = (isPermitted: (address: string) => boolean, signal = new AbortController().signal) =>
    httpsAnswer(new URL(`https://files.test:${port}/`), {
      addresses: ['127.0.0.1'],
      isPermitted,
      userAgent: 'Test/1',
      signal,
    });

  it('goes to the given address, in the name of the host', async () => {
    const { response } = await answer((address) => address === '127.0.0.1');
    expect(response.statusCode).toBe(200);
    expect(names).toEqual(['files.test']);
    response.destroy();
  });

  it('gets no answer of an address that it must not reach, however it got there', async () => {
    await expect(answer(() => false)).rejects.toMatchObject({ code: 'attachment_address_refused' });
  });

  it('fails like any other if it is ended', async () => {
    await expect(answer(() => true, AbortSignal.abort())).rejects.toMatchObject({ code: 'attachment_fetch_failed' });
  });
});
