import { CAMPAIGN_ID, CAMPAIGNS, FILE, recipient, request, REQUEST_RULES, to, TO, x } from './contract.cases';
import { DETAIL_RULES, RECIPIENT_RULES } from './contract.cases.content';
import { ATTACHMENT_RULES } from './contract.cases.files';
import { KEY, Lettermill, waitFor, type Ack, type Answer, type Message } from './lettermill';
import { RawClient } from './raw.client';

interface Refusal {
  type: string;
  status: number;
  code: string;
  detail: string;
  error_count?: number;
  errors?: { pointer: string; code: string; detail: string; message_id?: string }[];
}

const RULES = [...REQUEST_RULES, ...RECIPIENT_RULES, ...DETAIL_RULES, ...ATTACHMENT_RULES];
const CASES = RULES.reduce((sum, { takes, refuses }) => sum + [takes, refuses].flatMap(Object.keys).length, 0);
const MIB = 1024 * 1024;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the contract of POST /v2/send/email, over HTTP', () => {
  let lettermill: Lettermill;
  let campaignId: string;
  let accepted = 0;

  beforeAll(async () => {
    lettermill = await Lettermill.start({ RATE_LIMIT: '100000/60' });
    for (const slug of CAMPAIGNS) {
      const { body } = await lettermill.launch(slug);
      if (slug === 'order') campaignId = body.id as string;
    }
  });
  afterAll(() => lettermill.destroy());

  const post = async (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer<Ack & Refusal>> => {
    const answer = await fetch(`${lettermill.url}/v2/send/email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const read = (await answer.json()) as Ack & Refusal;
    if (answer.status === 202) accepted += read.messages.length;
    return { status: answer.status, headers: answer.headers, body: read };
  };
  // A lone surrogate in a text goes out as an escape; everything else as it is.
  const send = (value: unknown, headers?: Record<string, string>) =>
    post(JSON.stringify(value).replaceAll(CAMPAIGN_ID, campaignId), headers);
  const faultsOf = ({ body }: Answer<Refusal>) => (body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  const refusal = ({ status, headers, body }: Answer<Refusal>) => {
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(body.status).toBe(status);
    expect(body.type).toMatch(/^https:\/\/\S+#[a-z_0-9]+$/);
    expect(body).toMatchObject({ title: expect.any(String), instance: '/v2/send/email' });
    expect(body).toMatchObject({ detail: expect.stringMatching(/.{8}/), request_id: expect.stringMatching(UUID_V7) });
    return [status, body.code];
  };

  it(`is tried with ${CASES} requests, at least 400`, () => expect(CASES).toBeGreaterThanOrEqual(400));

  describe.each(RULES)('$rule', ({ takes, refuses }) => {
    if (Object.keys(takes).length > 0) {
      it.each(Object.entries(takes))('takes %s', async (_name, value) => {
        const { status, body } = await send(value);
        expect({ status, errors: body.errors }).toEqual({ status: 202, errors: undefined });
        const recipients = [(value as { to: object }).to].flat() as Record<string, unknown>[];
        expect(body.request_id).toMatch(UUID_V7);
        expect(body.messages).toHaveLength(recipients.length);
        for (const [i, { message_id, contact_key, external_message_id }] of body.messages.entries()) {
          expect(message_id).toMatch(/^[A-Za-z0-9]{18}$/);
          expect(Object.keys(contact_key)).toHaveLength(1);
          expect(external_message_id).toBe(
            recipients[i]!.contact_key === undefined ? undefined : recipients[i]!.external_message_id,
          );
        }
      });
    }
    it.each(Object.entries(refuses))('refuses %s', async (_name, [value, ...faults]) => {
      const answer = await send(value);
      expect(refusal(answer)).toEqual([422, 'validation_failed']);
      expect(faultsOf(answer).sort()).toEqual([...faults].sort());
      expect(answer.body.error_count).toBe(faults.length);
      for (const { detail } of answer.body.errors!) expect(detail).toMatch(/^[^\u0000-\u001f\u2028\u2029]{10,600}$/);
    });
  });

  describe('what can not be read is a 400 (design 4.1)', () => {
    const raw: [string, string | Buffer, string, Record<string, string>?][] = [
      ['no body', '', 'body_missing'],
      ['no JSON', '{', 'body_not_json'],
      ['white space', ' \n', 'body_not_json'],
      ['two values', '{}{}', 'body_not_json'],
      ['a comma too many', '{"campaign":"order","to":"a@b.co",}', 'body_not_json'],
      ['single quotes', "{'a':1}", 'body_not_json'],
      ['a comment', '{/**/}', 'body_not_json'],
      ['NaN', '{"a":NaN}', 'body_not_json'],
      ['a line break in a text', '{"a":"\n"}', 'body_not_json'],
      ['a key twice', '{"campaign":"order","campaign":"order","to":"a@b.co"}', 'body_not_json'],
      ['a key twice, once escaped', '{"a":{"b":1,"\\u0062":2}}', 'body_not_json'],
      ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'body_not_json'],
      ['a number of 20 digits', '{"a":12345678901234567890}', 'number_not_exact'],
      ['a number beyond all', '{"a":1e400}', 'number_not_exact'],
      ['no UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), 'body_not_utf8'],
      ['an overlong form', Buffer.from('{"a":"\xc0\xaf"}', 'latin1'), 'body_not_utf8'],
      ['a surrogate as UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'), 'body_not_utf8'],
      ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'body_not_utf8'],
      ['another charset', '{}', 'body_not_utf8', { 'content-type': 'application/json; charset=iso-8859-1' }],
      ['a form', 'a=b', 'content_type_unsupported', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['text', '{}', 'content_type_unsupported', { 'content-type': 'text/plain' }],
      ['XML', '<a/>', 'content_type_unsupported', { 'content-type': 'application/xml' }],
      ['JSON with a suffix', '{}', 'content_type_unsupported', { 'content-type': 'application/ld+json' }],
      ['no type at all', '{}', 'content_type_unsupported', { 'content-type': '' }],
      ['half a type', '{}', 'content_type_unsupported', { 'content-type': 'json' }],
      ['gzip', '{}', 'content_encoding_unsupported', { 'content-encoding': 'gzip' }],
      ['identity', '{}', 'content_encoding_unsupported', { 'content-encoding': 'identity' }],
      ['an empty Idempotency-Key', '{}', 'request_malformed', { 'idempotency-key': '' }],
      ['a key of 256', '{}', 'request_malformed', { 'idempotency-key': x(256) }],
      ['a key with a blank', '{}', 'request_malformed', { 'idempotency-key': 'a b' }],
    ];
    // A row that is shorter than the parameters would be given a callback.
    it.each(raw)('%s', async (...[_name, body, code, headers]) => {
      const answer = await post(body, headers);
      expect(refusal(answer)).toEqual([400, code]);
      expect(answer.body.errors).toBeUndefined();
    });

    const GOOD = JSON.stringify(request({}));
    const readable: [string, string | Buffer, Record<string, string>?][] = [
      ['a byte order mark', `\ufeff${GOOD}`],
      ['white space around', ` \r\n\t${GOOD}\n`],
      ['charset=utf-8', GOOD, { 'content-type': 'application/json; charset=utf-8' }],
      ['charset="UTF-8"', GOOD, { 'content-type': 'Application/JSON;charset="UTF-8"' }],
      ['another parameter', GOOD, { 'content-type': 'application/json; profile=x' }],
      ['escapes for letters', GOOD.replace('order', '\\u006frder')],
      ['a pair of escapes', JSON.stringify(request({ profile_data: {} })).replace('{}', '{"a":"\\ud83d\\ude00"}')],
      [
        '59 levels in metadata',
        JSON.stringify(request({ attachments: [{ ...FILE, metadata: { 'x-a': nested(59) } }] })),
      ],
      ['a number of 16 digits', GOOD.replace('}', ',"profile_data":{"a":9007199254740991,"b":0.1,"c":1e21}}')],
      ['a key of 255', GOOD, { 'idempotency-key': x(255) }],
      ['a key of every character', GOOD, { 'idempotency-key': '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~' }],
    ];
    it.each(readable)('but not %s', async (...[_name, body, headers]) => {
      const { status, body: read } = await post(body, headers);
      expect([status, read.errors]).toEqual([202, undefined]);
    });
  });

  describe('the cap of 32 MiB (design 4.1)', () => {
    const padded = (bytes: number) => JSON.stringify(request({})).padEnd(bytes, ' ');

    it('is exact', async () => {
      expect((await post(padded(32 * MIB))).status).toBe(202);
      // Answered by its length alone; who goes on writing may find the connection closed before it has read.
      const client = new RawClient(lettermill.port, 1);
      const { status, text } = await client.post('', { 'content-length': String(32 * MIB + 1) });
      client.close();
      expect([status, (JSON.parse(text) as Refusal).code]).toEqual([413, 'body_too_large']);
    });
  });

  describe('the attachments of a message: 10 MiB together (design 4.11)', () => {
    const LIMIT = 10 * MIB;
    const data = (bytes: number) => Buffer.alloc(bytes, 'a').toString('base64');
    const file = (bytes: number) => ({ attachment_type: 'file', file_name: 'f', data: data(bytes) });

    it.each([
      ['one file', (more: number) => request({ attachments: [file(LIMIT + more)] }), '/attachments/0'],
      [
        'two of the request',
        (more: number) => request({ attachments: [file(1), file(LIMIT - 1 + more)] }),
        '/attachments/1',
      ],
      ['of a recipient', (more: number) => recipient({ attachments: [file(LIMIT + more)] }), '/to/attachments/0'],
      [
        'of both',
        (more: number) =>
          request({
            attachments: [file(LIMIT - 10)],
            to: ['a@example.com', { contact_key: TO, attachments: [file(5), file(5 + more)] }],
          }),
        '/to/1/attachments/1',
      ],
    ])('%s, exact at the byte', async (_name, make, pointer) => {
      expect((await send(make(0))).status).toBe(202);
      const over = await send(make(1));
      expect([refusal(over), faultsOf(over)]).toEqual([
        [422, 'validation_failed'],
        [`${pointer} attachments_too_large`],
      ]);
    });

    it('those of the campaign count', async () => {
      expect((await lettermill.launch('filed', { attachments: [file(LIMIT - 3)] })).status).toBe(201);
      const make = (bytes: number) => ({ ...request({ attachments: [file(bytes)] }), campaign: 'filed' });
      expect((await send(make(3))).status).toBe(202);
      expect(faultsOf(await send(make(4)))).toEqual(['/attachments/0 attachments_too_large']);
    });
  });

  describe('the answers', () => {
    it('401 comes first, whatever the body', async () => {
      for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${KEY}`, `Bearer ${KEY} x`, KEY]) {
        const answer = await post('{', { authorization });
        expect(refusal(answer)).toEqual([401, 'unauthorized']);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
      }
      expect((await send(request({}), { authorization: `bearer  ${KEY}` })).status).toBe(202);
    });

    it('404 and 405 do not look at the body, and 405 names the methods', async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
        const { status, headers, body } = await lettermill.call<Refusal>(method, '/v2/send/email');
        expect([method, status, headers.get('allow'), body.code]).toEqual([method, 405, 'POST', 'method_not_allowed']);
      }
      const text = { 'content-type': 'text/plain' };
      expect((await lettermill.call('PUT', '/v2/send/email', 'x', text)).status).toBe(405);
      expect((await lettermill.call('POST', '/v2/send/sms', 'x', text)).status).toBe(404);
      expect((await lettermill.call('POST', '/v2/send/sms', '{')).status).toBe(404);
    });

    it('echo the contact key in the form that names the contact', async () => {
      const given = [
        TO,
        { email: TO, name: 'A' },
        { sms: '+123' },
        { contact_key: { email: TO, name: 'B' } },
        { crm: 'C' },
      ];
      const { body } = await send(to(given));
      expect(body.messages.map(({ contact_key }) => contact_key)).toEqual([
        ...[{ email: TO }, { email: TO }, { sms: '+123' }, { email: TO }, { crm: 'C' }],
      ]);
    });

    it('422 has every fault, 1,000 entries at most, and the true count', async () => {
      const bad = {
        contact_key: 'x',
        external_message_id: 'a b',
        message: { cc: Array.from({ length: 10 }, (_, i) => `${i}`) },
      };
      const many = await send(
        to(
          Array.from({ length: 100 }, (_, i) => ({
            ...bad,
            external_message_id: `a ${i}`,
            message: { ...bad.message, subject: `${i}\n` },
          })),
        ),
      );
      expect(many.body.error_count).toBe(1300);
      expect(many.body.errors).toHaveLength(1000);
      expect(many.body.detail).toContain('1300');
    });

    it('name the nearest known property', async () => {
      const { body } = await send(request({ mesage: {} }));
      expect(body.errors![0]!.detail).toContain('did you mean message?');
    });

    it('names of earlier messages: a used external_message_id has its own entry each', async () => {
      const one = await send(to(['e1', 'e2'].map((id) => ({ contact_key: TO, external_message_id: id }))));
      const again = await send(to(['e0', 'e1', 'e2'].map((id) => ({ contact_key: TO, external_message_id: id }))));
      expect(again.body.errors).toMatchObject(
        one.body.messages.map(({ message_id }, i) => ({
          ...{ pointer: `/to/${i + 1}/external_message_id`, code: 'external_message_id_taken', message_id },
        })),
      );
      expect((await send(recipient({ external_message_id: 'e0' }))).status).toBe(202);
    });

    it('an Idempotency-Key gives the first 202 to the same request, 422 to another', async () => {
      const headers = { 'idempotency-key': 'contract' };
      const first = await send(request({ profile_data: { a: 1, b: 2 } }), headers);
      accepted -= 1;
      const again = await send(request({ profile_data: { b: 2, a: 1 } }), headers);
      expect([again.status, again.body]).toEqual([202, first.body]);
      expect([first, again].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      expect(refusal(await send(request({}), headers))).toEqual([422, 'idempotency_key_reused']);
    });
  });

  it('accepted what it answered 202 to, and nothing else', async () => {
    const count = async () => {
      let [cursor, seen]: [string | null, number] = [null, 0];
      do {
        const query: string = cursor ? `&cursor=${cursor}` : '';
        const path = `/v2/messages?limit=100${query}`;
        const { body } = await lettermill.call<{ data: Message[]; next_cursor: string | null }>('GET', path);
        seen += body.data.length;
        cursor = body.next_cursor;
      } while (cursor);
      return seen;
    };
    await waitFor(async () => ((await count()) >= accepted ? true : undefined), 'every accepted message');
    expect(await count()).toBe(accepted);
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
