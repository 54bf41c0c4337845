import type { IncomingMessage, ServerResponse } from 'node:http';
import { installedWithSink } from '../installations/installed';
import type { Problem } from '../installations/lettermill';
import { attachmentsOf, draftsOf, MAX_ATTACHMENT_BYTES, sha256 } from './multipart.forms';
import { startFileServer, type FileServer } from './file.server';

/** Smaller than the files: they are no part of the caller's body. */
const MAX_BODY_BYTES = 65_536;
const INLINE = { attachment_type: 'file', file_name: 'a.txt', data: Buffer.from('inline').toString('base64') };

describe('a launch with files at addresses', () => {
  let fileServer: FileServer;
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: string[] = [];

  beforeAll(async () => {
    fileServer = await startFileServer((request, response) => {
      asked.push(request.url!);
      respond(request, response);
    });
  });
  const { sink, lettermill } = installedWithSink(() => ({
    ATTACHMENT_FETCH_ALLOW: '127.0.0.1/32',
    NODE_EXTRA_CA_CERTS: fileServer.certFile,
    MAX_BODY_BYTES: String(MAX_BODY_BYTES),
  }));
  beforeEach(() => {
    asked = [];
    respond = (_request, response) => response.end('there');
  });
  afterAll(() => fileServer.close());

  const urlFile = (path: string, more: object = {}) => ({
    attachment_type: 'url',
    file_name: 'terms.pdf',
    data: `${fileServer.url}${path}`,
    ...more,
  });
  const launch = (slug: string, attachments: object[], more: object = {}) =>
    lettermill.launch(slug, { attachments, ...more });
  const campaign = async (slug: string) => (await lettermill.call('GET', `/v2/campaigns/${slug}`)).body;
  /** Pointers and codes of a refusal; nothing is launched and nothing is left. */
  const refused = async (attachments: object[], more: object = {}) => {
    const { status, body } = await launch('refused', attachments, more);
    expect(status).toBe(422);
    const { code, detail, errors = [] } = body as unknown as Problem;
    expect([code, detail]).toEqual(['validation_failed', expect.stringMatching(/Nothing was changed\.$/)]);
    expect((await lettermill.call('GET', '/v2/campaigns/refused')).status).toBe(404);
    expect(draftsOf(lettermill)).toEqual([]);
    return errors.map(({ pointer, code: fault }) => `${pointer} ${fault}`);
  };

  describe('is refused', () => {
    it('if an address is not allowed; then none is fetched', async () => {
      const inside = ['https://127.0.0.2/terms.pdf', 'https://169.254.169.254/latest/meta-data/'];
      const files = [urlFile('/a'), ...inside.map((data) => urlFile('', { data }))];
      expect(await refused(files)).toEqual([
        '/attachments/1/data attachment_address_refused',
        '/attachments/2/data attachment_address_refused',
      ]);
      expect(asked).toEqual([]);
    });

    it('with every file that could not be fetched, as a send call is', async () => {
      respond = (request, response) => {
        const path = request.url!;
        if (path === '/404') response.writeHead(404).end();
        else if (path === '/inside') response.writeHead(302, { location: 'https://127.0.0.2/a' }).end();
        else if (path === '/large') response.end(Buffer.alloc(MAX_ATTACHMENT_BYTES + 1));
        else response.end('there');
      };
      const files = [urlFile('/404'), urlFile('/fine'), INLINE, urlFile('/inside'), urlFile('/large'), urlFile('/404')];
      const expected = [
        '/attachments/0/data attachment_fetch_failed',
        '/attachments/3/data attachment_address_refused',
        '/attachments/4/data attachments_too_large',
        '/attachments/5/data attachment_fetch_failed',
      ];
      expect(await refused(files)).toEqual(expected);
      expect(asked.sort()).toEqual(['/404', '/fine', '/inside', '/large']);
      await lettermill.launch('plain');
      const { body } = await lettermill.send({ campaign: 'plain', to: 'no@example.com', attachments: files });
      const sent = (body as unknown as Problem).errors!.map(({ pointer, code }) => `${pointer} ${code}`);
      expect(sent.sort()).toEqual(expected);
    });

    it('if a server does not answer, or a file is not whole within 15 s', async () => {
      respond = (request, response) => {
        if (request.url === '/stalls') response.writeHead(200, { 'content-length': 1000 }).write('half');
        else if (request.url !== '/silent') response.end('there');
      };
      const begun = performance.now();
      expect(await refused([urlFile('/fine'), urlFile('/silent'), urlFile('/stalls')])).toEqual([
        '/attachments/1/data attachment_fetch_failed',
        '/attachments/2/data attachment_fetch_failed',
      ]);
      expect(performance.now() - begun).toBeGreaterThan(14_000);
    }, 40_000);

    it('at the file that exceeds 10 MiB together with the others', async () => {
      respond = (_request, response) => response.end(Buffer.alloc(MAX_ATTACHMENT_BYTES / 2));
      expect(await refused([urlFile('/1'), urlFile('/2'), INLINE])).toEqual(['/attachments/2 attachments_too_large']);
    });

    it('for all its other faults, without fetching anything', async () => {
      await lettermill.launch('first');
      const file = urlFile('/once');
      const faults = (more: object) => refused([file], more);
      expect(await faults({ from: 'nobody', subject: '{{ a', html: '{% if %}' })).toEqual([
        '/from invalid_email',
        '/subject template_invalid',
        '/html template_invalid',
      ]);
      expect(await faults({ unsubscribe: 'one_click' })).toEqual(['/unsubscribe public_url_missing']);
      expect(await refused([file, { file_name: 'a', size: 1 }])).toEqual(['/attachments/1 file_not_kept']);
      expect(await refused([urlFile('/once', { cid: 'a' }), { ...INLINE, cid: 'a' }])).toEqual([
        '/attachments/1/cid cid_taken',
      ]);
      expect(await refused([file, { file_ref: '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11' }])).toEqual([
        '/attachments/1 attachment_kind_unavailable',
      ]);
      expect(await refused([file, { ...file, data: 'http://shop.example/terms.pdf', file_name: 'a/b' }])).toEqual([
        '/attachments/1/file_name bad_format',
        '/attachments/1/data bad_format',
      ]);
      const { body } = await lettermill.call('PUT', '/v2/campaigns/x', { attachments: [file] });
      expect((body as unknown as Problem).errors!.map(({ pointer }) => pointer)).toEqual(
        expect.arrayContaining(['', '/from', '/subject', '/html']),
      );
      expect((await launch('refused', [file], { text: 'x'.repeat(MAX_BODY_BYTES) })).status).toBe(413);
      expect(asked).toEqual([]);
    });
  });

  describe('is launched', () => {
    it('with files that are fetched once and sent as they were, whatever the address serves later', async () => {
      let content = Buffer.from('%PDF-1.7 old');
      respond = (_request, response) => response.writeHead(200, { 'content-type': 'text/x-odd' }).end(content);
      const files = [INLINE, urlFile('/terms', { cid: 'terms' }), urlFile('/terms', { file_name: 'copy' })];
      const launched = await launch('terms', files);
      expect([launched.status, launched.body.version, asked]).toEqual([201, 1, ['/terms']]);
      const size = content.length;
      // The type follows from the name, as that of base64 does.
      const shown = [
        { file_name: 'a.txt', content_type: 'text/plain', size: 6 },
        { file_name: 'terms.pdf', content_type: 'application/pdf', size, cid: 'terms' },
        { file_name: 'copy', content_type: 'application/octet-stream', size },
      ];
      expect(launched.body.attachments).toEqual(shown);
      expect((await campaign('terms')).attachments).toEqual(shown);
      content = Buffer.from('%PDF-1.7 changed');
      expect((await lettermill.send({ campaign: 'terms', to: 'old@example.com' })).status).toBe(202);
      const sha = sha256('%PDF-1.7 old');
      expect(await attachmentsOf(sink, 'old@example.com')).toEqual([
        { filename: 'a.txt', mimeType: 'text/plain', sha: sha256('inline') },
        { filename: 'terms.pdf', mimeType: 'application/pdf', sha },
        { filename: 'copy', mimeType: 'application/octet-stream', sha },
      ]);
      expect([asked, draftsOf(lettermill)]).toEqual([['/terms'], []]);
    });

    it('as the same version if the bytes are the same, however they were given; else as a new one', async () => {
      let content = 'one';
      respond = (_request, response) => response.end(content);
      const versionOf = async (...files: object[]) => (await launch('versions', files)).body.version;
      const inline = { ...INLINE, file_name: 'terms.pdf', data: Buffer.from('one').toString('base64') };
      expect(await versionOf(urlFile('/a'))).toBe(1);
      expect(await versionOf(urlFile('/a'))).toBe(1);
      expect(await versionOf(urlFile('/elsewhere'))).toBe(1);
      expect(await versionOf(inline)).toBe(1);
      content = 'two';
      expect(await versionOf(urlFile('/a'))).toBe(2);
      const { attachments } = await campaign('versions');
      expect(await versionOf(...(attachments as object[]))).toBe(2);
      expect(asked).toEqual(['/a', '/a', '/elsewhere', '/a']);
    });

    it('with 10 MiB of files, although a body can have 64 KiB only', async () => {
      const content = Buffer.alloc(MAX_ATTACHMENT_BYTES, 'é');
      respond = (_request, response) => response.end(content);
      const text = '\u0001é'.repeat(8_000);
      expect((await launch('largest', [urlFile('/large')], { text })).status).toBe(201);
      expect(await campaign('largest')).toMatchObject({ text, attachments: [{ size: MAX_ATTACHMENT_BYTES }] });
      await lettermill.send({ campaign: 'largest', to: 'largest@example.com' });
      expect(await attachmentsOf(sink, 'largest@example.com')).toMatchObject([{ sha: sha256(content) }]);
    });
  });
});
