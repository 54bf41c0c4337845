import type { AccountRequest } from '@lettermill/runtime';
import { fastify, type FastifyInstance } from 'fastify';
import { guardAccess } from './access.hook';
import type { KeyRing } from './key.ring';
import type { Allowance, RateLimit } from './rate.limit';

describe('the access hook', () => {
  let server: FastifyInstance;
  let taken: string[];
  /** What becomes of a refusal by the rate limit: at first each call is allowed. */
  let allowance: (refusal: Allowance) => ReturnType<RateLimit['take']>;

  beforeEach(() => {
    taken = [];
    server = fastify();
    const right = { id: 'k1', accountId: 'default' };
    const keys = { keyOf: (header?: string) => (header === 'Bearer right' ? right : undefined) };
    allowance = ({ headers }) => ({ allowed: true, headers });
    const take = (account: string) =>
      allowance({ allowed: false, headers: { 'x-taken': String(taken.push(account)) } });
    guardAccess(server, keys as unknown as KeyRing, { take } as unknown as RateLimit);
    server.get('/v2/things', ({ accountId: account, keyId: key }: AccountRequest) => ({ account, key }));
    server.get('/open', () => ({}));
  });
  afterEach(() => server.close());

  const headers = { authorization: 'Bearer right' };

  it('counts each call with a valid key against the rate limit of its account, and no other call', async () => {
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const calls = [
      fetch(`${url}/v2/things`, { headers }),
      fetch(`${url}/v2/things`),
      fetch(`${url}/open`, { headers }),
    ];
    const answers = await Promise.all(calls);
    expect(answers.map((answer) => answer.headers.get('x-taken'))).toEqual(['1', null, null]);
    expect(taken).toEqual(['default']);
  });

  it.each([
    [undefined, /no `Authorization`/],
    ['right', /`Bearer <API key>`/],
    ['Basic cmlnaHQ=', /`Bearer <API key>`/],
    ['Bearer wrong', /unknown/],
  ])('refuses the Authorization header %s with 401, and says what is wrong', async (authorization, detail) => {
    const { statusCode, body } = await server.inject({
      url: '/v2/things',
      headers: authorization ? { authorization } : {},
    });
    expect([statusCode, (JSON.parse(body) as { message: string }).message]).toEqual([
      401,
      expect.stringMatching(detail),
    ]);
  });

  it.each(['/v2/things', '/%762/things', '/v2/no-such'])('asks for a key at %s', async (url) => {
    expect((await server.inject({ url })).statusCode).toBe(401);
  });

  it('answers the account of the key, or what the rate limit says, at once or later', async () => {
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const answerTo = async (limit: typeof allowance) => {
      allowance = limit;
      const answer = await fetch(`${url}/v2/things`, { headers });
      return [answer.status, answer.headers.has('x-taken'), await answer.json()];
    };
    const refused = [429, true, expect.objectContaining({ code: 'rate_limited' })];
    expect(await answerTo((refusal) => ({ ...refusal, allowed: true }))).toEqual([
      200,
      true,
      { account: 'default', key: 'k1' },
    ]);
    expect(await answerTo((refusal) => refusal)).toEqual(refused);
    expect(await answerTo((refusal) => Promise.resolve(refusal))).toEqual(refused);
    expect(await answerTo(() => Promise.reject(new Error('away')))).toEqual([
      500,
      false,
      expect.objectContaining({ message: 'away' }),
    ]);
  });

  it('reads no more than 4 KiB from callers without a key', async () => {
    for (const url of ['/open', '/v2/things']) server.post(url, () => ({}));
    const statusOf = async (url: string, bytes: number) => {
      const payload = JSON.stringify('x'.repeat(bytes - 2));
      const type = { 'content-type': 'application/json' };
      return (await server.inject({ method: 'POST', url, payload, headers: { ...headers, ...type } })).statusCode;
    };
    expect([await statusOf('/open', 4096), await statusOf('/open', 4097)]).toEqual([200, 413]);
    expect(await statusOf('/v2/things', 4097)).toBe(200);
  });

  it('does not count calls that the process makes to itself', async () => {
    expect((await server.inject({ url: '/v2/things', headers })).statusCode).toBe(200);
    expect((await server.inject({ url: '/v2/things' })).statusCode).toBe(401);
    expect(taken).toEqual([]);
  });
});
