import { installed } from '../installations/installed';
import { API_KEY } from '../installations/lettermill';
import { RawClient } from './raw.client';

/** A call that is sent before the previous one is answered (RFC 9112, 9.3.2) is either carried out and answered, or neither. */
describe('a pipelined call', () => {
  const lettermill = installed();
  let raw: RawClient;
  let calls = 0;
  beforeAll(async () => {
    await lettermill.launch('order');
    raw = new RawClient(lettermill.port, 1);
  });
  afterAll(() => raw.close());

  const LARGE_BODY = 'x'.repeat(100_000);
  const rawPost = (body: string, headers: Record<string, string> = {}) => {
    const all = {
      host: 'a.example',
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    const head = ['POST /v2/send/email HTTP/1.1', ...lines, `content-length: ${body.length}`];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  };
  const newBody = () => {
    calls += 1;
    const id = `behind-${calls}`;
    return `{"campaign":"order","to":{"contact_key":"${id}@example.com","external_message_id":"${id}"}}`;
  };

  it.each([
    ['a body of another type', rawPost('{}', { 'content-type': 'text/plain' })],
    ['a compressed body', rawPost('{}', { 'content-encoding': 'gzip' })],
    ['a body that is not JSON', rawPost('{"')],
    ['a large body without a key', rawPost(LARGE_BODY, { authorization: 'Bearer nobody' })],
    ['a large body of another type', rawPost(LARGE_BODY, { 'content-type': 'text/plain' })],
    [
      'a body with Expect: 100-continue, without a key',
      rawPost('{}', { authorization: 'Bearer nobody', expect: '100-continue' }),
    ],
    ['a body with Expect: 100-continue', rawPost('{}', { expect: '100-continue' })],
  ])('is answered if and only if it is carried out, behind %s', async (_, first) => {
    const body = newBody();
    const answers = await raw.exchange(first + rawPost(body), { last: true, all: true });
    const [refused, ...behind] = answers.match(/HTTP\/1\.1 [2-5]\d\d/g) ?? [];
    expect(refused).toMatch(/ 4\d\d$/);
    const { status } = await lettermill.send(body);
    expect(behind).toEqual(status === 202 ? [] : ['HTTP/1.1 202']);
    expect(status).toBe(behind.length === 0 ? 202 : 422);
  });
});
