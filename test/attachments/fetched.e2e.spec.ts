import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { attachmentsOf, draftsOf, MAX_ATTACHMENT_BYTES, sha256 } from './multipart.forms';
import { installedWithSink } from '../installations/installed';
import type { Problem } from '../installations/lettermill';
import { startFileServer, type FileServer } from './file.server';

describe('attachments by URL', () => {
  let fileServer: FileServer;
  let respond: (request: IncomingMessage, response: ServerResponse) => void;

  beforeAll(async () => {
    fileServer = await startFileServer((request, response) => respond(request, response));
  });
  const { sink, lettermill } = installedWithSink(() => ({
    ATTACHMENT_FETCH_ALLOW: '127.0.0.1/32',
    NODE_EXTRA_CA_CERTS: fileServer.certFile,
  }));
  beforeAll(() => lettermill.launch('order'));
  afterAll(() => fileServer.close());

  const drafts = () => draftsOf(lettermill);
  const attachmentsTo = (address: string) => attachmentsOf(sink, address);

  const urlFile = (path: string) => ({
    attachment_type: 'url',
    file_name: 'fetched.bin',
    data: `${fileServer.url}${path}`,
  });
  const expectRefused = async (path: string): Promise<string> => {
    const { status, body } = await lettermill.send({
      campaign: 'order',
      to: 'no@example.com',
      attachments: [urlFile(path)],
    });
    expect(status).toBe(422);
    const [fault] = (body as unknown as Problem).errors!;
    expect(fault!.pointer).toBe('/attachments/0/data');
    return fault!.code;
  };

  it('fetches each URL once for all recipients, without cookies or credentials', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const seen: IncomingMessage[] = [];
    respond = (request, response) => {
      seen.push(request);
      const headers = { 'set-cookie': 'a=b', 'content-type': 'text/html', 'content-encoding': 'identity' };
      response.writeHead(200, headers).end(png);
    };
    const { status } = await lettermill.send({
      campaign: 'order',
      attachments: [urlFile('/one.png')],
      to: [{ contact_key: 'url-1@example.com', attachments: [urlFile('/one.png')] }, 'url-2@example.com'],
    });
    expect(status).toBe(202);
    expect(seen).toHaveLength(1);
    expect(seen[0]!.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^Lettermill\//),
      'accept-encoding': 'identity',
    });
    expect(seen[0]!.headers.cookie ?? seen[0]!.headers.authorization).toBeUndefined();
    const expected = { filename: 'fetched.bin', mimeType: 'image/png', sha: sha256(png) };
    expect(await attachmentsTo('url-1@example.com')).toEqual([expected, expected]);
    expect(await attachmentsTo('url-2@example.com')).toEqual([expected]);
  });

  it('follows three redirects and no more, each checked anew', async () => {
    let forbidden = 0;
    const inside = createTcpServer(() => (forbidden += 1)).listen(0, '127.0.0.2');
    await once(inside, 'listening');
    const { port } = inside.address() as AddressInfo;
    // /hops/302,301 redirects with 302 to /hops/301, and so on; /to/302/… redirects to the address given in base64url.
    respond = (request, response) => {
      const [, kind, first = '', target = ''] = request.url!.split('/');
      const [status, ...rest] = first.split(',').filter(Boolean);
      const location = kind === 'to' ? Buffer.from(target, 'base64url').toString() : `/hops/${rest.join(',')}`;
      if (status) response.writeHead(Number(status), { location }).end();
      else response.end('there');
    };
    const ok = await lettermill.send({
      campaign: 'order',
      to: 'redirect@example.com',
      attachments: [urlFile('/hops/302,301,307')],
    });
    expect(ok.status).toBe(202);
    expect(await expectRefused('/hops/302,301,307,308')).toBe('attachment_fetch_failed');
    const targets = [
      `https://127.0.0.2:${port}/`,
      `https://[::1]:${port}/`,
      `https://2130706434:${port}/`,
      `//127.0.0.2:${port}/`,
      'https://169.254.169.254/latest/meta-data/',
      `http://127.0.0.1:${port}/`,
      'file:///etc/passwd',
      `https://u:p@127.0.0.1:${port}/`,
      `https://[::ffff:127.0.0.2]:${port}/`,
      'https://localhost.:1/',
    ];
    for (const status of [301, 302, 303, 307, 308]) {
      for (const target of targets) {
        expect(await expectRefused(`/to/${status}/${Buffer.from(target).toString('base64url')}`)).toMatch(
          /^attachment_(address_refused|fetch_failed)$/,
        );
      }
    }
    inside.close();
    expect(forbidden).toBe(0);
  });

  it('fetches nothing for a request that is refused anyway', async () => {
    let asked = 0;
    respond = (_request, response) => {
      asked += 1;
      response.end('there');
    };
    const request = { campaign: 'order', to: 'asks@example.com', attachments: [urlFile('/once')] };
    const used = { contact_key: 'used@example.com', external_message_id: 'asks-nobody' };
    expect((await lettermill.send({ campaign: 'order', to: used })).status).toBe(202);
    const refused = [
      { ...request, to: 'bad' },
      { ...request, to: used },
      { ...request, campaign: 'no-such' },
      { ...request, message: { text: '{{ a | nope }}' } },
      { ...request, attachments: [urlFile('/once'), { file_ref: '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11' }] },
      { ...request, attachments: [urlFile('/once'), { ...urlFile(''), data: 'https://127.0.0.2/a.txt' }] },
    ];
    for (const body of refused) expect((await lettermill.send(body)).status).toBe(422);
    expect(asked).toBe(0);
    expect((await lettermill.send(request)).status).toBe(202);
    expect(asked).toBe(1);
  });

  it('fetches at most 40 MiB for one request, and points to the file that exceeds it', async () => {
    respond = (_request, response) => response.end(Buffer.alloc(MAX_ATTACHMENT_BYTES));
    const own = (i: number) => ({ contact_key: `own-${i}@example.com`, attachments: [urlFile(`/own/${i}`)] });
    const { status, body } = await lettermill.send({ campaign: 'order', to: [0, 1, 2, 3, 4].map(own) });
    expect(status).toBe(422);
    // Which file exceeds the limit depends on the network.
    const [fault, ...more] = (body as unknown as Problem).errors!;
    expect([fault!.code, more]).toEqual(['attachments_too_large', []]);
    expect([fault!.pointer, fault!.detail]).toEqual([
      expect.stringMatching(/^\/to\/[0-4]\/attachments\/0\/data$/),
      expect.stringContaining('41943040'),
    ]);
    expect(drafts()).toEqual([]);
  });

  it('stops at the size limit, declared or not, and refuses all but a plain 200', async () => {
    let reset = () => {};
    fileServer.server.on('connection', (socket: Socket) => (reset = () => socket.resetAndDestroy()));
    respond = (request, response) => {
      const path = request.url!;
      if (path === '/declared') response.writeHead(200, { 'content-length': MAX_ATTACHMENT_BYTES + 1 }).flushHeaders();
      if (path === '/endless') {
        const pump = () => response.write(Buffer.alloc(1 << 20), (error) => (error ? undefined : pump()));
        pump();
      }
      if (path === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
      if (path === '/404') response.writeHead(404).end();
      if (path === '/204') response.writeHead(204).end();
      if (path === '/cut') {
        response.writeHead(200, { 'content-length': 1000 }).write('half');
        setTimeout(() => response.destroy(), 50);
      }
      if (path === '/reset') {
        response.removeHeader('transfer-encoding');
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: 'close' }).write('half');
        setTimeout(() => reset(), 50);
      }
      if (path === '/nowhere') response.writeHead(302).end();
      if (path === '/switch')
        request.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    };
    expect(await expectRefused('/declared')).toBe('attachments_too_large');
    expect(await expectRefused('/endless')).toBe('attachments_too_large');
    for (const path of ['/gzip', '/404', '/204', '/cut', '/reset', '/nowhere', '/switch']) {
      expect(await expectRefused(path)).toBe('attachment_fetch_failed');
    }
    expect(drafts()).toEqual([]);
    expect(sink.mailsTo('no@example.com')).toEqual([]);
  });
});
