import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import {
  attachmentsOf,
  draftsOf,
  jsonPart,
  MAX_ATTACHMENT_BYTES,
  multipartBody,
  postForm,
  sha256,
  type FormPart,
} from './multipart.forms';
import { installedWithSink } from '../installations/installed';
import { API_KEY, PROFILE, waitFor, type Problem } from '../installations/lettermill';

const FILE_REF = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';
const OTHER_FILE_REF = '7f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c22';

describe('attachments by multipart', () => {
  const { sink, lettermill } = installedWithSink();
  beforeAll(() => lettermill.launch('order'));

  const post = (body: Buffer, contentType?: string) => postForm(lettermill, body, contentType);
  const drafts = () => draftsOf(lettermill);
  const attachmentsTo = (address: string) => attachmentsOf(sink, address);

  it('maps parts by file_ref and attaches the rest to every message, in any order', async () => {
    const [one, two] = [randomBytes(100_000), randomBytes(3000)];
    const { status } = await post(
      multipartBody([
        [FILE_REF, one, { filename: 'from-part.pdf', type: 'application/pdf' }],
        jsonPart({
          attachments: [{ attachment_type: 'file', file_ref: FILE_REF }],
          to: [
            { contact_key: 'mp-1@example.com', attachments: [{ file_ref: OTHER_FILE_REF, file_name: 'mine.bin' }] },
            { contact_key: 'mp-2@example.com', attachments: [{ file_ref: OTHER_FILE_REF, file_name: 'yours.bin' }] },
            'mp-3@example.com',
          ],
        }),
        ['extra', 'auto', { filename: 'Überraschung.txt', type: 'text/plain' }],
        [OTHER_FILE_REF, two, { filename: 'two' }],
      ]),
    );
    expect(status).toBe(202);
    const shared = [
      { filename: 'from-part.pdf', mimeType: 'application/pdf', sha: sha256(one) },
      { filename: 'Überraschung.txt', mimeType: 'text/plain', sha: sha256('auto') },
    ];
    expect(await attachmentsTo('mp-1@example.com')).toMatchObject([
      ...shared,
      { filename: 'mine.bin', sha: sha256(two) },
    ]);
    expect(await attachmentsTo('mp-2@example.com')).toMatchObject([
      ...shared,
      { filename: 'yours.bin', sha: sha256(two) },
    ]);
    expect(await attachmentsTo('mp-3@example.com')).toEqual(shared);
    expect(drafts()).toEqual([]);
  });

  it('attaches each of several parts that have one name, as a form with many files sends them', async () => {
    const files: FormPart[] = ['a.txt', 'b.txt', 'a.txt'].map((filename, i) => ['files', `${i}`, { filename }]);
    expect((await post(multipartBody([...files, jsonPart({ to: 'many@example.com' })]))).status).toBe(202);
    const names = (await attachmentsTo('many@example.com')).map(({ filename, sha: bytes }) => [filename, bytes]);
    expect(names).toEqual([
      ['a.txt', sha256('0')],
      ['b.txt', sha256('1')],
      ['a.txt', sha256('2')],
    ]);
    // The size limit counts each of them.
    const half = Buffer.alloc(MAX_ATTACHMENT_BYTES / 2);
    const parts = [half, half, Buffer.from('x')].map((bytes): FormPart => ['files', bytes, { filename: 'half' }]);
    const { status, body } = await post(multipartBody([jsonPart({ to: 'many@example.com' }), ...parts]));
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '', code: 'attachments_too_large' }]]);
  });

  it('shows the part of a file_ref in html by its cid, and no part that no file_ref names, whatever its headers say', async () => {
    const to = 'shown@example.com';
    const message = { html: '<img src="cid:logo"><img src="cid:auto">' };
    const parts: FormPart[] = [
      jsonPart({ to, message, attachments: [{ file_ref: FILE_REF, cid: 'logo' }] }),
      [FILE_REF, 'one', { filename: 'logo.png', type: 'image/png' }],
      ['auto', 'two', { filename: 'auto.png', type: 'image/png\r\nContent-ID: <auto>' }],
    ];
    expect((await post(multipartBody(parts))).status).toBe(202);
    const { attachments } = (await sink.firstMailTo(to)).mail;
    expect(attachments.map(({ filename, contentId }) => [filename, contentId])).toEqual([
      ['logo.png', '<logo>'],
      ['auto.png', undefined],
    ]);
  });

  it('reads file names in RFC 5987 form, empty files, and a json part with a file name', async () => {
    const boundary = 'xXx';
    const body = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="json"; filename="r.json"\r\nContent-Type: application/json\r\n\r\n` +
        `${JSON.stringify({ campaign: 'order', to: 'names@example.com' })}\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="a"; filename*=UTF-8''%E2%82%AC%20rates.txt\r\n\r\n\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="b"; filename="EUR"; filename*=UTF-8''%E2%82%AC\r\n\r\n\r\n--${boundary}--\r\n`,
    );
    expect((await post(body)).status).toBe(202);
    const sent = await attachmentsTo('names@example.com');
    expect(sent).toMatchObject([{ filename: '€ rates.txt', sha: sha256('') }, { filename: '€' }]);
  });

  it('reads a file name as browsers write it: %22 is a quote, all else is literal', async () => {
    const form = new FormData();
    form.set('json', JSON.stringify({ campaign: 'order', to: 'quotes@example.com' }));
    const names = ['the "new" one.txt', '100%.txt', 'a%20b.txt', 'ü b.txt'];
    for (const name of names) form.append('files', new Blob(['x']), name);
    const written = new Response(form);
    const body = Buffer.from(await written.arrayBuffer());
    expect((await post(body, written.headers.get('content-type')!)).status).toBe(202);
    expect((await attachmentsTo('quotes@example.com')).map(({ filename }) => filename)).toEqual(names);
  });

  it('keeps the type of a part with its parameters, and a file name that looks like one', async () => {
    const invitation: FormPart = ['i', 'BEGIN', { filename: '1=2.ics', type: 'text/calendar; method=REQUEST' }];
    const to = 'calendar@example.com';
    expect((await post(multipartBody([jsonPart({ to }), invitation]))).status).toBe(202);
    expect(await attachmentsTo(to)).toMatchObject([{ filename: '1=2.ics', mimeType: 'text/calendar' }]);
    expect(sink.mailsTo(to)[0]!.raw.toString()).toMatch(/^content-type: text\/calendar; method=REQUEST/im);
  });

  it('sends a calendar in base64 as an invitation', async () => {
    const to = 'invited@example.com';
    const data = Buffer.from('BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n').toString('base64');
    await lettermill.send({
      campaign: 'order',
      to,
      attachments: [{ attachment_type: 'file', file_name: 'i.ics', data }],
    });
    await attachmentsTo(to);
    expect(sink.mailsTo(to)[0]!.raw.toString()).toMatch(/^content-type: text\/calendar; method=REQUEST/im);
  });

  it('derives a missing type of a part from its file name, and keeps a declared one', async () => {
    const part = (name: string, type?: string): FormPart => [name, 'x', { filename: name, type }];
    const parts = [part('a.pdf'), part('b.csv'), part('c'), part('d.html', 'text/plain'), part('e.pdf', 'image/png')];
    const { status } = await post(multipartBody([jsonPart({ to: 'types@example.com' }), ...parts]));
    expect(status).toBe(202);
    expect((await attachmentsTo('types@example.com')).map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ['a.pdf', 'application/pdf'],
      ['b.csv', 'text/csv'],
      ['c', 'text/plain'],
      ['d.html', 'text/plain'],
      ['e.pdf', 'image/png'],
    ]);
  });

  it('accepts 10 MiB and not a byte more, and points to the file that exceeds it', async () => {
    const to = { contact_key: 'exact@example.com', attachments: [{ file_ref: OTHER_FILE_REF, file_name: 'b' }] };
    const parts = (bytes: number): FormPart[] => [
      jsonPart({ attachments: [{ file_ref: FILE_REF, file_name: 'a' }], to }),
      [FILE_REF, Buffer.alloc(bytes - 1000)],
      [OTHER_FILE_REF, Buffer.alloc(1000)],
    ];
    expect((await post(multipartBody(parts(MAX_ATTACHMENT_BYTES)))).status).toBe(202);
    const over = await post(multipartBody(parts(MAX_ATTACHMENT_BYTES + 1)));
    expect(over.status).toBe(422);
    expect(over.body.errors).toMatchObject([{ pointer: '/to/attachments/0', code: 'attachments_too_large' }]);
    expect(drafts()).toEqual([]);
  });

  it('needs no usable filename of a part whose file_ref gives a file_name', async () => {
    for (const filename of ['x'.repeat(256), 'a\u0001b']) {
      const part: FormPart = [FILE_REF, 'x', { filename }];
      const named = { to: 'a@example.com', attachments: [{ file_ref: FILE_REF, file_name: 'a.txt' }] };
      expect((await post(multipartBody([jsonPart(named), part]))).status).toBe(202);
      const unnamed = { to: 'a@example.com', attachments: [{ file_ref: FILE_REF }] };
      const refused = await post(multipartBody([jsonPart(unnamed), part]));
      expect([refused.status, refused.body.errors]).toMatchObject([422, [{ code: 'file_name_missing' }]]);
    }
  });

  it('reports what is wrong with file_refs', async () => {
    const missing = await post(
      multipartBody([jsonPart({ to: 'a@example.com', attachments: [{ file_ref: FILE_REF }] })]),
    );
    expect(missing.body.errors).toMatchObject([{ pointer: '/attachments/0/file_ref', code: 'file_ref_unknown' }]);
    const unnamed = await post(
      multipartBody([jsonPart({ to: 'a@example.com', attachments: [{ file_ref: FILE_REF }] }), [FILE_REF, 'x']]),
    );
    expect(unnamed.body.errors).toMatchObject([{ pointer: '/attachments/0', code: 'file_name_missing' }]);
    const inJson = await lettermill.send({
      campaign: 'order',
      to: 'a@example.com',
      attachments: [{ file_ref: FILE_REF }],
    });
    expect((inJson.body as unknown as Problem).errors).toMatchObject([{ code: 'file_ref_unknown' }]);
    expect(drafts()).toEqual([]);
  });

  it('reports faults of files together with all others, in one answer', async () => {
    const big = Buffer.alloc(MAX_ATTACHMENT_BYTES).toString('base64');
    const answer = await post(
      multipartBody([
        jsonPart({
          campaign: 'no-such',
          message: { text: '{{ a | nope }}' },
          attachments: [
            { file_ref: FILE_REF },
            { attachment_type: 'file', file_name: 'a', data: 'no base64' },
            { attachment_type: 'url', file_name: 'b', data: 'https://169.254.169.254/latest' },
          ],
          to: [
            'bad',
            { contact_key: 'a@example.com', attachments: [{ file_ref: OTHER_FILE_REF, metadata: { no: 1 } }] },
            { contact_key: 'b@example.com', attachments: [{ attachment_type: 'file', file_name: 'c', data: big }] },
          ],
        }),
        [FILE_REF, 'x'],
        ['nobody\u0001', 'y'],
      ]),
    );
    expect(answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
      ' file_name_missing',
      '/attachments/0 file_name_missing',
      '/attachments/1/data invalid_base64',
      '/attachments/2/data attachment_address_refused',
      '/campaign campaign_unknown',
      '/message/text template_invalid',
      '/to/0 invalid_email',
      '/to/1/attachments/0/file_ref file_ref_unknown',
      '/to/1/attachments/0/metadata/no bad_format',
      '/to/2/attachments/0 attachments_too_large',
    ]);
    for (const { detail } of answer.body.errors!) expect(detail).toMatch(/^[^\u0000-\u001f\u2028\u2029]{10,600}$/);
    expect(drafts()).toEqual([]);
  });

  it('refuses a cid that a file of the campaign has, and accepts another', async () => {
    const logo = (cid: string) => ({ attachment_type: 'file', file_name: 'logo.png', data: 'AAAA', cid });
    await lettermill.launch('logo', { attachments: [logo('logo')] });
    const send = (cid: string) =>
      post(multipartBody([jsonPart({ campaign: 'logo', to: 'a@x.org', attachments: [logo(cid)] })]));
    expect((await send('logo')).body.errors).toEqual([
      expect.objectContaining({ pointer: '/attachments/0/cid', code: 'cid_taken' }),
    ]);
    expect((await send('seal')).status).toBe(202);
  });

  it('reports faults of files together with a used external_message_id', async () => {
    const to = { contact_key: 'a@example.com', external_message_id: 'used-beside-files' };
    expect((await post(multipartBody([jsonPart({ to })]))).status).toBe(202);
    const again = await post(multipartBody([jsonPart({ to, attachments: [{ file_ref: FILE_REF }] })]));
    expect(again.body.errors).toMatchObject([
      { pointer: '/to/external_message_id', code: 'external_message_id_taken' },
      { pointer: '/attachments/0/file_ref', code: 'file_ref_unknown' },
    ]);
  });

  // Only drafts that are files can be seen from outside; the suites of the blob stores cover the others.
  if (PROFILE === 'embedded') {
    it('drops the files of a client that disconnects', async () => {
      const socket = connect(lettermill.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const head = multipartBody([['f', 'x'.repeat(100_000), { filename: 'f' }]]);
      socket.write(
        `POST /v2/send/email HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${API_KEY}\r\ncontent-length: 900000\r\n` +
          'content-type: multipart/form-data; boundary=xXx\r\n\r\n',
      );
      socket.write(head.subarray(0, 50_000));

      await waitFor(() => drafts().length > 0 || undefined, 'the draft');
      socket.destroy();
      await waitFor(() => drafts().length === 0 || undefined, 'the draft to go');
    });
  }

  it.each([
    ['PUT', '/v2/campaigns/order'],
    ['POST', '/v2/keys'],
    ['POST', '/v2/inbound/bounces'],
    ['POST', '/v2/messages/0Qk3vZ8mT1xYbN5cRd/cancel'],
    ['DELETE', '/v2/keys/9d4c168e58772e259e'],
  ])('are accepted by the send call only, not by %s %s', async (method, path) => {
    const answer = await fetch(lettermill.url + path, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'multipart/form-data; boundary=xXx' },
      body: new Uint8Array(multipartBody([jsonPart({})])),
    });
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([400, 'content_type_unsupported']);
  });
});
