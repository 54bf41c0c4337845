import { gzipSync } from 'node:zlib';
import { ContractCalls, refusal } from './contract.calls';
import { FILE, recipient, request, to, TO, repeatX } from './contract.cases';
import { API_KEY, type Problem } from '../installations/lettermill';
import { RawClient } from '../api/raw.client';

const MIB = 1024 * 1024;
const FORM = { 'content-type': 'multipart/form-data; boundary=b' };

describe('POST /v2/send/email', () => {
  const calls = ContractCalls.installed();
  const post = (body: string | Buffer, headers?: Record<string, string>) => calls.post(body, headers);
  const send = (value: unknown, headers?: Record<string, string>) => calls.send(value, headers);

  describe('answers 400 to what cannot be read (docs/send.md 1)', () => {
    const unreadable: [string, string | Buffer, string, Record<string, string>?][] = [
      ['no body', '', 'body_missing'],
      ['no JSON', '{', 'body_not_json'],
      ['white space', ' \n', 'body_not_json'],
      ['two values', '{}{}', 'body_not_json'],
      ['two byte order marks', `\ufeff\ufeff{}`, 'body_not_json'],
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
      ['two types', '{}', 'content_type_unsupported', { 'content-type': 'application/json, multipart/form-data' }],
      ['parts that are no form', '{}', 'content_type_unsupported', { 'content-type': 'multipart/mixed; boundary=b' }],
      ...['gzip', 'br', 'deflate', 'x'].map((encoding): [string, string, string, Record<string, string>] => [
        encoding,
        '{}',
        'content_encoding_unsupported',
        { 'content-encoding': encoding },
      ]),
      ['a form, zipped', '', 'content_encoding_unsupported', { ...FORM, 'content-encoding': 'gzip' }],
      ['gzip that is not announced', gzipSync('{}'), 'body_not_utf8'],
      ['identity', '{}', 'content_encoding_unsupported', { 'content-encoding': 'identity' }],
      ['an empty Idempotency-Key', '{}', 'request_malformed', { 'idempotency-key': '' }],
      ['a key of 256', '{}', 'request_malformed', { 'idempotency-key': repeatX(256) }],
      ['a key with a blank', '{}', 'request_malformed', { 'idempotency-key': 'a b' }],
    ];
    // Rest parameters, because Jest passes a callback if a row has fewer values than the test has parameters.
    it.each(unreadable)('%s', async (...[_name, body, code, headers]) => {
      const answer = await post(body, headers);
      expect(refusal(answer)).toEqual([400, code]);
      expect(answer.body.errors).toBeUndefined();
    });

    const VALID_BODY = JSON.stringify(request({}));
    const readable: [string, string | Buffer, Record<string, string>?][] = [
      ['a byte order mark', `\ufeff${VALID_BODY}`],
      ['white space around', ` \r\n\t${VALID_BODY}\n`],
      ['charset=utf-8', VALID_BODY, { 'content-type': 'application/json; charset=utf-8' }],
      ['charset="UTF-8"', VALID_BODY, { 'content-type': 'Application/JSON;charset="UTF-8"' }],
      ['another parameter', VALID_BODY, { 'content-type': 'application/json; profile=x' }],
      ['escapes for letters', VALID_BODY.replace('order', '\\u006frder')],
      ['a pair of escapes', JSON.stringify(request({ profile_data: {} })).replace('{}', '{"a":"\\ud83d\\ude00"}')],
      [
        '59 levels in metadata',
        JSON.stringify(request({ attachments: [{ ...FILE, metadata: { 'x-a': nested(59) } }] })),
      ],
      ['a number of 16 digits', VALID_BODY.replace('}', ',"profile_data":{"a":9007199254740991,"b":0.1,"c":1e21}}')],
      ['a key of 255', VALID_BODY, { 'idempotency-key': repeatX(255) }],
      ['a key of every character', VALID_BODY, { 'idempotency-key': '!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~' }],
    ];
    it.each(readable)('but not to %s', async (...[_name, body, headers]) => {
      const { status, body: read } = await post(body, headers);
      expect([status, read.errors]).toEqual([202, undefined]);
    });
  });

  describe('the cap of 32 MiB (docs/send.md 1)', () => {
    const padded = (bytes: number) => JSON.stringify(request({})).padEnd(bytes, ' ');

    it('is exact', async () => {
      expect((await post(padded(32 * MIB))).status).toBe(202);
      // The length alone is refused. No body is sent: a client that keeps writing may find the connection closed before it reads.
      const client = new RawClient(calls.lettermill.port, 1);
      const { status, text } = await client.post('', { 'content-length': String(32 * MIB + 1) });
      client.close();
      expect([status, (JSON.parse(text) as Problem).code]).toEqual([413, 'body_too_large']);
    });
  });

  describe('the answers', () => {
    it('401 comes first, whatever the body', async () => {
      for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${API_KEY}`, `Bearer ${API_KEY} x`, API_KEY]) {
        const answer = await post('{', { authorization });
        expect(refusal(answer)).toEqual([401, 'unauthorized']);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
      }
      expect((await send(request({}), { authorization: `bearer  ${API_KEY}` })).status).toBe(202);
    });

    it('404 and 405 do not look at the body, and 405 names the methods', async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
        const { status, headers, body } = await calls.lettermill.call<Problem>(method, '/v2/send/email');
        expect([method, status, headers.get('allow'), body.code]).toEqual([method, 405, 'POST', 'method_not_allowed']);
      }
      const text = { 'content-type': 'text/plain' };
      expect((await calls.lettermill.call('PUT', '/v2/send/email', 'x', text)).status).toBe(405);
      expect((await calls.lettermill.call('POST', '/v2/send/sms', 'x', text)).status).toBe(404);
      expect((await calls.lettermill.call('POST', '/v2/send/sms', '{')).status).toBe(404);
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
        { email: TO },
        { email: TO },
        { sms: '+123' },
        { email: TO },
        { crm: 'C' },
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

    it('name the earlier message of each external_message_id that is used', async () => {
      const one = await send(to(['e1', 'e2'].map((id) => ({ contact_key: TO, external_message_id: id }))));
      const again = await send(to(['e0', 'e1', 'e2'].map((id) => ({ contact_key: TO, external_message_id: id }))));
      expect(again.body.errors).toMatchObject(
        one.body.messages.map(({ message_id }, i) => ({
          pointer: `/to/${i + 1}/external_message_id`,
          code: 'external_message_id_taken',
          message_id,
        })),
      );
      expect((await send(recipient({ external_message_id: 'e0' }))).status).toBe(202);
    });

    it('report used ids together with every other fault', async () => {
      const used = { contact_key: TO, external_message_id: 'beside' };
      const [message] = (await send(to([used]))).body.messages;
      const takenFault = (pointer: string) => ({
        pointer,
        code: 'external_message_id_taken',
        message_id: message!.message_id,
      });
      const twice = [used, { ...used, contact_key: 'b@example.com' }];
      expect((await send(to([...twice, 'bad']))).body.errors).toMatchObject([
        { pointer: '/to/2', code: 'invalid_email' },
        takenFault('/to/0/external_message_id'),
        takenFault('/to/1/external_message_id'),
      ]);
      const more = { campaign: 'no-such', message: { text: '{{ a | nope }}' } };
      expect((await send({ ...to([used]), ...more })).body.errors).toMatchObject([
        takenFault('/to/0/external_message_id'),
        { pointer: '/campaign', code: 'campaign_unknown' },
        { pointer: '/message/text', code: 'template_invalid' },
      ]);
    });
  });

  it('accepts what it answers 202 to, and nothing else', () => calls.expectAccepted());
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
