import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Config } from '@lettermill/config';
import { INTERNAL_HEADER, verifyInternal } from '@lettermill/runtime';
import { shortenNextTimeout, StallingServer } from '../../../../libs/runtime/src/testing/stalling.server';
import { OwnerClient } from './owner.client';

const SECRET = 's'.repeat(32);
const NOW = 1_800_000_000_000;

describe('a call that the gateway forwards', () => {
  let owner: Server;
  let client: OwnerClient;
  const calledUrls: string[] = [];

  beforeAll(async () => {
    owner = createServer((request, reply) => {
      const { method = '', url = '', headers } = request;
      calledUrls.push(url);
      const token = String(headers[INTERNAL_HEADER]);
      const account = verifyInternal(SECRET, token, { method, path: url }, NOW);
      reply.writeHead(account === 'a' ? 200 : 401).end();
    }).listen(0, '127.0.0.1');
    await once(owner, 'listening');
    const { port } = owner.address() as AddressInfo;
    const owners = { tracker: `http://127.0.0.1:${port}` };
    client = new OwnerClient({ internalSecret: SECRET, owners } as unknown as Config, () => NOW);
  });
  beforeEach(() => calledUrls.splice(0));
  afterAll(() => owner.close());

  const get = (path: string) => client.call('tracker', { accountId: 'a', method: 'GET', path });

  it.each([
    '/v2/messages',
    "/v2/messages?contact=o'brien@example.com",
    "/v2/contacts/email/o'brien@example.com",
    '/v2/contacts/email/"a..b"@example.com',
    '/v2/contacts/email/%22a%2Fb%22@example.com',
    '/v2/contacts/crm/{x}|^`<>?contact="<>`{}|\\..',
    '/v2/contacts/crm/..a',
    '/v2/messages?contact=a/../b',
    '/v2/messages?contact=x#y',
  ])('is accepted by the owner, however its path is written: %s', async (path) => {
    expect((await get(path)).status).toBe(200);
    expect(calledUrls[0]!.split('?')[0]!.split('/')).toHaveLength(path.split('?')[0]!.split('/').length);
  });

  describe('to an owner that answers', () => {
    const seen: unknown[] = [];
    let answering: Server;
    let asking: OwnerClient;
    beforeAll(async () => {
      answering = createServer((request, reply) => {
        const { 'x-request-id': id, traceparent, 'content-type': type } = request.headers;
        void text(request).then((body) => {
          seen.push([request.method, request.url, id, traceparent, type, body]);
          const moved = request.url === '/v2/moved';
          const headers = {
            'content-type': 'text/x',
            'retry-after': '7',
            allow: 'GET',
            location: '/v2/x',
            'x-own': 'no',
          };
          reply.writeHead(moved ? 302 : 405, headers).end('told');
        });
      }).listen(0, '127.0.0.1');
      await once(answering, 'listening');
      const owners = { tracker: `http://127.0.0.1:${(answering.address() as AddressInfo).port}` };
      asking = new OwnerClient({ internalSecret: SECRET, owners } as unknown as Config, () => NOW);
    });
    beforeEach(() => seen.splice(0));
    afterAll(() => answering.close());

    it('carries its content and its cause, and hands back the answer with the headers that tell of it', async () => {
      const call = { accountId: 'a', method: 'POST', path: '/v2/x?y=z', requestId: 'r', traceparent: 't' };
      expect(await asking.call('tracker', { ...call, body: Buffer.from('{}') })).toEqual({
        owner: 'tracker',
        status: 405,
        headers: { 'content-type': 'text/x', 'retry-after': '7', allow: 'GET' },
        body: Buffer.from('told'),
      });
      await asking.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/x' });
      expect(seen).toEqual([
        ['POST', '/v2/x?y=z', 'r', 't', 'application/json', '{}'],
        ['GET', '/v2/x', undefined, undefined, undefined, ''],
      ]);
    });

    it('goes nowhere else: it is signed for this path', async () => {
      const asked = asking.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/moved' });
      await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
      expect(seen).toHaveLength(1);
    });
  });

  it('is reported as unavailable without a secret to sign it with', async () => {
    const unsigned = new OwnerClient({ internalSecret: null, owners: {} } as unknown as Config, () => NOW);
    const asked = unsigned.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/messages' });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', message: 'INTERNAL_SECRET is not set.' });
  });

  it('is reported as unavailable with its cause, which the log names, if nobody listens', async () => {
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const { port } = nobody.address() as AddressInfo;
    nobody.close();
    const owners = { tracker: `http://127.0.0.1:${port}` };
    const lonely = new OwnerClient({ internalSecret: SECRET, owners } as unknown as Config, () => NOW);
    const asked = lonely.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/messages' });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', why: 'ECONNREFUSED' });
  });

  it('is reported as unavailable if no answer begins', async () => {
    shortenNextTimeout(50);
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const owners = { tracker: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const waiting = new OwnerClient({ internalSecret: SECRET, owners } as unknown as Config, () => NOW);
    const asked = waiting.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/messages' });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', why: 'TimeoutError' });
    silent.closeAllConnections();
    silent.close();
  });

  it('is reported as unavailable if the rest of the answer never comes, even after a garbage collection', async () => {
    shortenNextTimeout(1_500);
    const stalling = await StallingServer.open();
    const owners = { tracker: stalling.url };
    const waiting = new OwnerClient({ internalSecret: SECRET, owners } as unknown as Config, () => NOW);
    const asked = waiting.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/messages' });
    const refused = expect(asked).rejects.toMatchObject({ code: 'unavailable', why: 'TimeoutError' });
    await stalling.collectGarbageMeanwhile();
    await refused.finally(() => stalling.close());
  });

  it('is reported as unavailable, not as the caller’s fault, if the owner has another secret', async () => {
    const { port } = owner.address() as AddressInfo;
    const owners = { tracker: `http://127.0.0.1:${port}` };
    const stranger = new OwnerClient({ internalSecret: 't'.repeat(32), owners } as unknown as Config, () => NOW);
    const asked = stranger.call('tracker', { accountId: 'a', method: 'GET', path: '/v2/messages' });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } });
    await expect(asked).rejects.toThrow(
      'The tracker service does not accept calls of this gateway. Both need the same INTERNAL_SECRET',
    );
  });

  it.each([
    '/v2/contacts/../keys',
    '/v2/contacts/%2e%2E/keys',
    '/v2/contacts/email/.',
    '/v2/contacts/a\\b/c',
    '/v2/.%2e',
  ])('is refused if its path would resolve to another one: %s', async (path) => {
    await expect(get(path)).rejects.toMatchObject({ code: 'not_found' });
    expect(calledUrls).toEqual([]);
  });
});
