import { installed } from '../installations/installed';
import { KEY } from '../installations/lettermill';
import { RawClient } from './raw.client';

/** The router accepts many spellings of one address; none of them may bypass a check. */
describe('however the address of a request is written', () => {
  const lettermill = installed();
  let raw: RawClient;
  beforeAll(async () => {
    await lettermill.launch('order');
    raw = new RawClient(lettermill.port, 1);
  });
  afterAll(() => raw.close());

  const BODY = '{"campaign":"order","to":"ada@example.com"}';
  const ask = (line: string, headers: string[], body = '') => {
    const head = [`${line} HTTP/1.1`, ...headers, 'content-type: application/json', `content-length: ${body.length}`];
    return raw.exchange(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
  const HOST = 'host: localhost';
  const AUTHORIZED = [HOST, `authorization: Bearer ${KEY}`];
  const ORIGINS = ['', 'http://evil.example', `HTTP://127.0.0.1:1`];
  const paths = (rest: string) => ['/v2', '/%76%32', '/%762', '/v%32'].map((base) => base + rest);
  const spellings = (rest: string) => ORIGINS.flatMap((origin) => paths(rest).map((path) => origin + path));

  it('it takes a key', async () => {
    for (const target of spellings('/send/email')) {
      expect(await ask(`POST ${target}`, [HOST], BODY)).toMatch(/^HTTP\/1\.1 401 [^]*www-authenticate: Bearer/);
    }
    for (const target of [...spellings('/messages'), ...spellings('/nothing')]) {
      expect(await ask(`GET ${target}`, [HOST])).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('it is the same call with one, counted like any other', async () => {
    for (const target of spellings('/send/email')) {
      expect(await ask(`POST ${target}`, AUTHORIZED, BODY)).toMatch(/^HTTP\/1\.1 202 [^]*x-ratelimit-remaining: /);
    }
    for (const target of spellings('/campaigns/order')) {
      expect(await ask(`GET ${target}`, AUTHORIZED)).toMatch(/^HTTP\/1\.1 200 [^]*"slug":"order"/);
    }
  });

  it('has nothing outside of what it serves', async () => {
    for (const target of ['/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/%00', '/docs/nothing']) {
      expect(await ask(`GET ${target}`, [HOST])).toMatch(/^HTTP\/1\.1 404 [^]*"code":"not_found"/);
    }
  });

  it('is refused where an escape in it is broken', async () => {
    for (const target of ['/v%3%32/messages', '/%%37%36', '/v2/messages/%', '/v2/%zz%76']) {
      expect(await ask(`GET ${target}`, AUTHORIZED)).toMatch(/^HTTP\/1\.1 400 [^]*"code":"request_malformed"/);
    }
  });

  it('takes a key where it can not be read, and is counted with one', async () => {
    const cases = [
      ['/v2/messages/%ff', 'An escape in the path is malformed, or is not UTF-8.'],
      ['/v2/nothing/%', 'An escape in the path is malformed, or is not UTF-8.'],
      [`/v2/messages/${'a'.repeat(1001)}`, 'A part of the path has more than 1000 characters.'],
      [`/v2/contacts/email/${'%C3%BC'.repeat(1001)}`, 'A part of the path has more than 1000 characters.'],
    ] as const;
    for (const [target, detail] of cases) {
      for (const method of ['GET', 'POST', 'PUT']) {
        expect(await ask(`${method} ${target}`, [HOST])).toMatch(/^HTTP\/1\.1 401 [^]*www-authenticate: Bearer/);
      }
      const told = await ask(`GET ${target}`, AUTHORIZED);
      expect(told).toMatch(/^HTTP\/1\.1 400 [^]*x-ratelimit-remaining: [^]*"code":"request_malformed"/);
      expect(told).toContain(detail);
    }
    const longest = await ask(`GET /v2/contacts/email/${'%C3%BC'.repeat(1000)}`, AUTHORIZED);
    expect(longest).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('refuses a head without a host in its own form, and answers whatever is expected of it', async () => {
    const hostless = await ask('GET /health/live', []);
    expect(hostless).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*"code":"request_malformed"/);
    expect(await ask('GET /health/live', [HOST, 'expect: the-unexpected'])).toMatch(/^HTTP\/1\.1 200 /);
  });
});
