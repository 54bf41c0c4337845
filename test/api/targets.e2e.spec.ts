import { installed } from '../installations/installed';
import { API_KEY } from '../installations/lettermill';
import { RawClient } from './raw.client';

/** The router accepts many spellings of one address; none of them may bypass a check. */
describe('a request whose target is oddly spelt', () => {
  const lettermill = installed();
  let raw: RawClient;
  beforeAll(async () => {
    await lettermill.launch('order');
    raw = new RawClient(lettermill.port, 1);
  });
  afterAll(() => raw.close());

  const SEND_BODY = '{"campaign":"order","to":"ada@example.com"}';
  const exchange = (line: string, headers: string[], body = '') => {
    const head = [`${line} HTTP/1.1`, ...headers, 'content-type: application/json', `content-length: ${body.length}`];
    return raw.exchange(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
  const HOST_HEADER = 'host: localhost';
  const AUTHORIZED_HEADERS = [HOST_HEADER, `authorization: Bearer ${API_KEY}`];
  const ORIGINS = ['', 'http://evil.example', `HTTP://127.0.0.1:1`];
  const paths = (rest: string) => ['/v2', '/%76%32', '/%762', '/v%32'].map((base) => base + rest);
  const spellings = (rest: string) => ORIGINS.flatMap((origin) => paths(rest).map((path) => origin + path));

  it('requires a key', async () => {
    for (const target of spellings('/send/email')) {
      expect(await exchange(`POST ${target}`, [HOST_HEADER], SEND_BODY)).toMatch(
        /^HTTP\/1\.1 401 [^]*www-authenticate: Bearer/,
      );
    }
    for (const target of [...spellings('/messages'), ...spellings('/nothing')]) {
      expect(await exchange(`GET ${target}`, [HOST_HEADER])).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('is the same call, and counts towards the rate limit', async () => {
    for (const target of spellings('/send/email')) {
      expect(await exchange(`POST ${target}`, AUTHORIZED_HEADERS, SEND_BODY)).toMatch(
        /^HTTP\/1\.1 202 [^]*x-ratelimit-remaining: /,
      );
    }
    for (const target of spellings('/campaigns/order')) {
      expect(await exchange(`GET ${target}`, AUTHORIZED_HEADERS)).toMatch(/^HTTP\/1\.1 200 [^]*"slug":"order"/);
    }
  });

  it('reaches nothing outside of what is served', async () => {
    for (const target of ['/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/%00', '/docs/nothing']) {
      expect(await exchange(`GET ${target}`, [HOST_HEADER])).toMatch(/^HTTP\/1\.1 404 [^]*"code":"not_found"/);
    }
  });

  it('is refused if an escape in it is malformed', async () => {
    for (const target of ['/v%3%32/messages', '/%%37%36', '/v2/messages/%', '/v2/%zz%76']) {
      expect(await exchange(`GET ${target}`, AUTHORIZED_HEADERS)).toMatch(
        /^HTTP\/1\.1 400 [^]*"code":"request_malformed"/,
      );
    }
  });

  it('requires a key and counts towards the rate limit even if its path is unreadable', async () => {
    const cases = [
      ['/v2/messages/%ff', 'An escape in the path is malformed, or is not UTF-8.'],
      ['/v2/nothing/%', 'An escape in the path is malformed, or is not UTF-8.'],
      [`/v2/messages/${'a'.repeat(1001)}`, 'A part of the path has more than 1000 characters.'],
      [`/v2/contacts/email/${'%C3%BC'.repeat(1001)}`, 'A part of the path has more than 1000 characters.'],
    ] as const;
    for (const [target, detail] of cases) {
      for (const method of ['GET', 'POST', 'PUT']) {
        expect(await exchange(`${method} ${target}`, [HOST_HEADER])).toMatch(
          /^HTTP\/1\.1 401 [^]*www-authenticate: Bearer/,
        );
      }
      const refusal = await exchange(`GET ${target}`, AUTHORIZED_HEADERS);
      expect(refusal).toMatch(/^HTTP\/1\.1 400 [^]*x-ratelimit-remaining: [^]*"code":"request_malformed"/);
      expect(refusal).toContain(detail);
    }
    const longest = await exchange(`GET /v2/contacts/email/${'%C3%BC'.repeat(1000)}`, AUTHORIZED_HEADERS);
    expect(longest).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('is refused with a problem if it has no Host, and answered whatever its Expect', async () => {
    const hostless = await exchange('GET /health/live', []);
    expect(hostless).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*"code":"request_malformed"/);
    expect(await exchange('GET /health/live', [HOST_HEADER, 'expect: the-unexpected'])).toMatch(/^HTTP\/1\.1 200 /);
  });
});
