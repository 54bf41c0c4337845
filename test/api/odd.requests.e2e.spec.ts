import { installed } from '../installations/installed';
import { API_KEY } from '../installations/lettermill';
import { RawClient } from './raw.client';

/** Requests that HTTP allows and few clients send. Each is answered, and the process goes on. */
describe('an unusual request', () => {
  const lettermill = installed();
  let raw: RawClient;
  beforeAll(() => (raw = new RawClient(lettermill.port, 1)));
  afterEach(async () => expect((await fetch(`${lettermill.url}/health/live`)).status).toBe(200));
  afterAll(() => raw.close());

  const HOST_HEADER = 'host: a.example';
  const AUTHORIZED_HEADERS = [HOST_HEADER, `authorization: Bearer ${API_KEY}`];
  const SEND_HEADERS = [...AUTHORIZED_HEADERS, 'content-type: application/json', 'content-length: 2'];
  const exchange = (line: string, headers: string[], body = '') =>
    raw.exchange(`${[line, ...headers].join('\r\n')}\r\n\r\n${body}`);
  const problemAnswer = (status: number, code: string) =>
    new RegExp(`^HTTP/1\\.1 ${status} [^]*application/problem\\+json[^]*"code":"${code}"`);

  it('with CONNECT gets 405, with the methods that are allowed', async () => {
    const answer = await exchange('CONNECT a.example:443 HTTP/1.1', [HOST_HEADER, 'content-length: 3'], 'abc');
    expect(answer).toMatch(problemAnswer(405, 'method_not_allowed'));
    expect(answer).toMatch(/\r\nallow: [A-Z, ]*GET[A-Z, ]*POST[^]*\r\nconnection: close\r\n/);
  });

  it('with TRACE or another method is refused, and nothing is echoed', async () => {
    const answer = await exchange('TRACE /v2/send/email HTTP/1.1', AUTHORIZED_HEADERS);
    expect(answer).toMatch(problemAnswer(405, 'method_not_allowed'));
    expect(answer).toMatch(/\r\nallow: POST\r\n/);
    expect(answer).not.toContain(API_KEY);
    expect(await exchange('BREW / HTTP/1.1', [HOST_HEADER])).toMatch(problemAnswer(400, 'request_malformed'));
    expect(await exchange('OPTIONS * HTTP/1.1', [HOST_HEADER])).toMatch(problemAnswer(404, 'not_found'));
  });

  it('with Upgrade, HTTP/1.0 or an absolute URL is answered like any other', async () => {
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    expect(await exchange('GET /health/live HTTP/1.1', [HOST_HEADER, ...upgrade])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange('POST /v2/send/email HTTP/1.1', [...SEND_HEADERS, ...upgrade], '{}')).toMatch(
      /^HTTP\/1\.1 422 /,
    );
    expect(await exchange('GET /health/live HTTP/1.0', [])).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i);
    expect(await exchange('GET http://b.example/health/live HTTP/1.1', [HOST_HEADER])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange('PRI * HTTP/2.0', [], 'SM\r\n\r\n')).toMatch(problemAnswer(400, 'request_malformed'));
  });

  it('of a client that has closed its sending side is answered, and refused if incomplete', async () => {
    const exchangeAndEnd = (line: string, headers: string[], body = '') =>
      raw.exchange(`${[line, ...headers].join('\r\n')}\r\n\r\n${body}`, { last: true });
    expect(await exchangeAndEnd('GET /health/ready HTTP/1.1', [HOST_HEADER])).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchangeAndEnd('POST /v2/send/email HTTP/1.1', SEND_HEADERS, '{')).toMatch(
      problemAnswer(400, 'request_malformed'),
    );
  });

  it('with rubbish behind it is answered before the rubbish is refused', async () => {
    const whole = `${['POST /v2/send/email HTTP/1.1', ...SEND_HEADERS].join('\r\n')}\r\n\r\n{}`;
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
    const expectContinue = (key: string, length: number) =>
      exchange('POST /v2/send/email HTTP/1.1', [
        HOST_HEADER,
        `authorization: Bearer ${key}`,
        'content-type: application/json',
        `content-length: ${length}`,
        'expect: 100-continue',
      ]);
    expect(await expectContinue('nobody', 30_000_000)).toMatch(problemAnswer(401, 'unauthorized'));
    expect(await expectContinue(API_KEY, 50_000_000)).toMatch(problemAnswer(413, 'body_too_large'));
  });

  it('with thousands of headers has none of them ignored', async () => {
    const many = Array.from({ length: 2100 }, () => 'a:');
    expect(await exchange('GET /v2/keys HTTP/1.1', [HOST_HEADER, ...many, AUTHORIZED_HEADERS[1]!])).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    const twice = await exchange('GET /v2/keys HTTP/1.1', [
      ...AUTHORIZED_HEADERS,
      ...many,
      'authorization: Bearer nobody',
    ]);
    expect(twice).toMatch(problemAnswer(400, 'request_malformed'));
  });

  it('with two lengths, a length and chunks, or a head that is too large is refused', async () => {
    for (const second of ['content-length: 3', 'content-length: 2', 'transfer-encoding: chunked']) {
      const answer = await exchange('POST /v2/send/email HTTP/1.1', [...SEND_HEADERS, second], '{}');
      expect(answer).toMatch(problemAnswer(400, 'request_malformed'));
    }
    const large = await exchange('GET /health/live HTTP/1.1', [HOST_HEADER, `x: ${'a'.repeat(20_000)}`]);
    expect(large).toMatch(problemAnswer(400, 'request_malformed'));
    expect(large).toContain('more than 16384 bytes');
  });
});
