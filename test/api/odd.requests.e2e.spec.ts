import { installed } from '../installations/installed';
import { KEY } from '../installations/lettermill';
import { RawClient } from './raw.client';

/** Requests that HTTP allows and few clients send. Each is answered, and the process goes on. */
describe('an unusual request', () => {
  const lettermill = installed();
  let raw: RawClient;
  beforeAll(() => (raw = new RawClient(lettermill.port, 1)));
  afterEach(async () => expect((await fetch(`${lettermill.url}/health/live`)).status).toBe(200));
  afterAll(() => raw.close());

  const HOST = 'host: a.example';
  const AUTHORIZED = [HOST, `authorization: Bearer ${KEY}`];
  const SEND = [...AUTHORIZED, 'content-type: application/json', 'content-length: 2'];
  const ask = (line: string, headers: string[], body = '') =>
    raw.exchange(`${[line, ...headers].join('\r\n')}\r\n\r\n${body}`);
  const refused = (status: number, code: string) =>
    new RegExp(`^HTTP/1\\.1 ${status} [^]*application/problem\\+json[^]*"code":"${code}"`);

  it('with CONNECT gets 405, with the methods that are allowed', async () => {
    const answer = await ask('CONNECT a.example:443 HTTP/1.1', [HOST, 'content-length: 3'], 'abc');
    expect(answer).toMatch(refused(405, 'method_not_allowed'));
    expect(answer).toMatch(/\r\nallow: [A-Z, ]*GET[A-Z, ]*POST[^]*\r\nconnection: close\r\n/);
  });

  it('with TRACE or another method is refused, and nothing is echoed', async () => {
    const answer = await ask('TRACE /v2/send/email HTTP/1.1', AUTHORIZED);
    expect(answer).toMatch(refused(405, 'method_not_allowed'));
    expect(answer).toMatch(/\r\nallow: POST\r\n/);
    expect(answer).not.toContain(KEY);
    expect(await ask('BREW / HTTP/1.1', [HOST])).toMatch(refused(400, 'request_malformed'));
    expect(await ask('OPTIONS * HTTP/1.1', [HOST])).toMatch(refused(404, 'not_found'));
  });

  it('with Upgrade, HTTP/1.0 or an absolute URL is answered like any other', async () => {
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    expect(await ask('GET /health/live HTTP/1.1', [HOST, ...upgrade])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('POST /v2/send/email HTTP/1.1', [...SEND, ...upgrade], '{}')).toMatch(/^HTTP\/1\.1 422 /);
    expect(await ask('GET /health/live HTTP/1.0', [])).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i);
    expect(await ask('GET http://b.example/health/live HTTP/1.1', [HOST])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('PRI * HTTP/2.0', [], 'SM\r\n\r\n')).toMatch(refused(400, 'request_malformed'));
  });

  it('of a client that has closed its sending side is answered, and refused if incomplete', async () => {
    const lastWord = (line: string, headers: string[], body = '') =>
      raw.exchange(`${[line, ...headers].join('\r\n')}\r\n\r\n${body}`, { last: true });
    expect(await lastWord('GET /health/ready HTTP/1.1', [HOST])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await lastWord('POST /v2/send/email HTTP/1.1', SEND, '{')).toMatch(refused(400, 'request_malformed'));
  });

  it('with rubbish behind it is answered before the rubbish is refused', async () => {
    const whole = `${['POST /v2/send/email HTTP/1.1', ...SEND].join('\r\n')}\r\n\r\n{}`;
    for (const rubbish of ['RUBBISH\r\n\r\n', whole.slice(0, -1)]) {
      const answers = await raw.exchange(whole + whole + rubbish, { last: true, all: true });
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 422', 'HTTP/1.1 422', 'HTTP/1.1 400']);
    }
  });

  it('keeps its connection alive for longer than any proxy does', async () => {
    const { headers } = await fetch(`${lettermill.url}/health/live`);
    expect(headers.get('keep-alive')).toBe('timeout=620');
  });

  it('with Expect: 100-continue is refused without asking for a body that is not read', async () => {
    const waits = (key: string, length: number) =>
      ask('POST /v2/send/email HTTP/1.1', [
        ...[HOST, `authorization: Bearer ${key}`, 'content-type: application/json'],
        ...[`content-length: ${length}`, 'expect: 100-continue'],
      ]);
    expect(await waits('nobody', 30_000_000)).toMatch(refused(401, 'unauthorized'));
    expect(await waits(KEY, 50_000_000)).toMatch(refused(413, 'body_too_large'));
  });

  it('with thousands of headers has none of them ignored', async () => {
    const many = Array.from({ length: 2100 }, () => 'a:');
    expect(await ask('GET /v2/keys HTTP/1.1', [HOST, ...many, AUTHORIZED[1]!])).toMatch(/^HTTP\/1\.1 200 /);
    const twice = await ask('GET /v2/keys HTTP/1.1', [...AUTHORIZED, ...many, 'authorization: Bearer nobody']);
    expect(twice).toMatch(refused(400, 'request_malformed'));
  });

  it('with two lengths, a length and chunks, or a head that is too large is refused', async () => {
    for (const second of ['content-length: 3', 'content-length: 2', 'transfer-encoding: chunked']) {
      const answer = await ask('POST /v2/send/email HTTP/1.1', [...SEND, second], '{}');
      expect(answer).toMatch(refused(400, 'request_malformed'));
    }
    const large = await ask('GET /health/live HTTP/1.1', [HOST, `x: ${'a'.repeat(20_000)}`]);
    expect(large).toMatch(refused(400, 'request_malformed'));
  });
});
