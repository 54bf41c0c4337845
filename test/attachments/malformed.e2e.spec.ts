import { draftsOf, jsonPart, multipartBody, postForm, type FormPart } from './multipart.forms';
import { installedWithSink } from '../installations/installed';

const FILE_REF = '6f1c1f0e-8a3e-4c1f-9a52-0d6f2f1b7c11';
/** Small files stay in memory until they are stored. */
const LARGE = 'x'.repeat(300_000);

describe('malformed forms', () => {
  const { sink, lettermill } = installedWithSink();
  beforeAll(() => lettermill.launch('order'));

  const post = (body: Buffer, contentType?: string) => postForm(lettermill, body, contentType);
  const drafts = () => draftsOf(lettermill);

  it('are refused with a detail that says what is wrong', async () => {
    const good = multipartBody([
      jsonPart({ to: 'never@example.com' }),
      ['f', 'SGVsbG8=', { filename: 'f' }],
    ]).toString();
    const cases = [
      [good.slice(0, -20), 'The body ended before its closing boundary.'],
      [good.replace('Content-Type', 'Content-Transfer-Encoding: base64\r\nContent-Type'), 'base64'],
      [good.replace('filename="f"', 'filename="f"\r\nContent-Transfer-Encoding: Quoted-Printable'), 'quoted-printable'],
      [good.replace('Content-Type', `X-Long: ${'x'.repeat(8_200)}\r\nContent-Type`), 'more than 8192 bytes'],
      [good.replace('name="f"', 'name="toString"'), 'a name that is not allowed'],
      [good.replace('--xXx\r\n', '--xXx \r\n'), 'blanks after a boundary'],
      [good.replace(/--xXx\r\n(?=.*name="f")/, '--xXx\t\r\n'), 'blanks after a boundary'],
    ];
    for (const [body, reason] of cases) {
      const answer = await post(Buffer.from(body!));
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(reason!)]);
    }
    // A client that sets the Content-Type of a form by hand usually omits the boundary.
    for (const parameter of ['', '; boundary=', "; boundary*=UTF-8''xXx"]) {
      const type = `multipart/form-data${parameter}`;
      const answer = await post(Buffer.from(good), type);
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('no boundary')]);
    }
    for (const encoding of ['7bit', '8BIT', 'binary']) {
      const headers = `filename="f"\r\nContent-Transfer-Encoding: ${encoding}`;
      expect((await post(Buffer.from(good.replace('filename="f"', headers).replace('never', 'plain')))).status).toBe(
        202,
      );
    }
    expect(sink.mailsTo('never@example.com')).toEqual([]);
  });

  // The name of such a file is unclear: it would be sent under a name that the caller did not give.
  const UNREADABLE_NAMES = [
    `filename*=KOI8-R''%F0%D2%C9.txt`,
    `filename*=nonsense''%F0.txt`,
    `filename="caf\xe9.txt"`,
    `filename*0="long"; filename*1="name.txt"`,
    `filename*0*=UTF-8''a; filename*1*=b.txt`,
    `filename*=UTF-8''a%0D%0AX-Evil:%201`,
  ];
  const valid = jsonPart({ to: 'a@example.com' });
  /** A form whose second part has this head. */
  const withPartHead = (head: string) =>
    Buffer.from(
      multipartBody([valid])
        .toString()
        .replace(/--xXx--\r\n$/, `--xXx\r\n${head}\r\nx\r\n--xXx--\r\n`),
      'latin1',
    );
  const formWithName = (name: string) =>
    withPartHead(`Content-Disposition: form-data; name="f"${name && `; ${name}`}\r\n`);

  it('all get 400, and leave no files', async () => {
    const good = multipartBody([jsonPart({ to: 'never@example.com' }), ['f', 'x', { filename: 'f' }]]);
    const cases: [string, Buffer, string?][] = [
      ['no json part', multipartBody([['f', LARGE, { filename: 'f' }]])],
      ['two json parts', multipartBody([valid, valid])],
      ['json that is none', multipartBody([['json', '{']])],
      ['json that is empty', multipartBody([['json', '']])],
      ['a file named json beside it', multipartBody([valid, ['json', 'x', { filename: 'a' }]])],
      ['a file named json alone', multipartBody([['json', '\u0000\u0001', { filename: 'a.bin' }]])],
      [
        'two parts of one name that a file_ref may say',
        multipartBody([valid, [FILE_REF, LARGE, { filename: 'a' }], [FILE_REF, '2', { filename: 'b' }]]),
      ],
      ['truncated', good.subarray(0, good.length - 20)],
      ['cut in a header', good.subarray(0, 30)],
      ['cut in the closing boundary', good.subarray(0, good.length - 3)],
      ['no first boundary', good.subarray(good.indexOf('{'))],
      ['no boundary', good, 'multipart/form-data'],
      ['empty boundary', good, 'multipart/form-data; boundary='],
      ...['other', 'xXxx', '"', 'x'.repeat(71), 'b/'].map((boundary): [string, Buffer, string] => [
        `the boundary ${boundary}`,
        good,
        `multipart/form-data; boundary=${boundary}`,
      ]),
      [
        'a part that would be lost, whatever the form of the boundary',
        Buffer.from(good.toString().replace('Content-Disposition: form-data; name="f"', 'X-Disposition: "f"')),
        'multipart/form-data; boundary = xXx',
      ],
      ['empty body', Buffer.alloc(0)],
      ['line feeds only', Buffer.from(good.toString().replaceAll('\r\n', '\n'))],
      ['a part without a name', withPartHead('Content-Disposition: form-data\r\n')],
      ['a part with an empty name', withPartHead('Content-Disposition: form-data; name=""; filename="a"\r\n')],
      ['a part without a disposition', withPartHead('Content-Type: text/plain\r\n')],
      ['a part without a head', withPartHead('')],
      ['a part of another disposition', withPartHead('Content-Disposition: attachment; name="f"\r\n')],
      ['a name of the prototype', multipartBody([valid, ['__proto__', 'x', { filename: 'f' }]])],
      ...UNREADABLE_NAMES.map((name): [string, Buffer] => [name, formWithName(name)]),
    ];
    for (const [what, body, type] of cases) {
      const answer = await post(body, type);
      expect([what, answer.status]).toEqual([what, 400]);
      expect(answer.headers.get('content-type')).toMatch(/problem\+json/);
      expect(answer.body.detail).not.toBe('');
    }
    expect(drafts()).toEqual([]);
    expect((await post(multipartBody([jsonPart({ to: 'after@example.com' })]))).status).toBe(202);
    expect(sink.mailsTo('never@example.com')).toEqual([]);
  });

  it('with files that have no usable name get 422, and leave no files', async () => {
    const names = ['', 'filename="a\u0001b"', `filename="${'x'.repeat(256)}"`, "filename*=UTF-8''a%E2%80%A8b"];
    for (const name of names) {
      const { status, body } = await post(formWithName(name));
      expect([name, status, body.errors]).toMatchObject([name, 422, [{ code: 'file_name_missing' }]]);
    }
    expect(drafts()).toEqual([]);
  });

  it('with too many parts get 422, and leave no files', async () => {
    const parts = Array.from({ length: 10_000 }, (_, i): FormPart => [`p${i}`, 'x']);
    const { status, body } = await post(multipartBody([valid, ...parts]));
    const fault = { pointer: '', code: 'too_many', detail: 'at most 1024 parts' };
    expect([status, body.errors]).toEqual([422, [fault]]);
    expect(drafts()).toEqual([]);
  });
});
