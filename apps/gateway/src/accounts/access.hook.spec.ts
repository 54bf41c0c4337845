import { fastify, type FastifyInstance } from 'fastify';
import { guardAccess } from './access.hook';
import type { KeyRing } from './key.ring';
import type { RateLimit } from './rate.limit';

describe('the access hook', () => {
  let server: FastifyInstance;
  let taken: string[];

  beforeEach(() => {
    taken = [];
    server = fastify();
    const keys = { accountOf: (header?: string) => (header === 'Bearer right' ? 'default' : undefined) };
    const take = (account: string) => ({ allowed: true, headers: { 'x-taken': String(taken.push(account)) } });
    guardAccess(server, keys as unknown as KeyRing, { take } as unknown as RateLimit);
    server.get('/v2/things', () => ({}));
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

  it('does not count calls that the process makes to itself', async () => {
    expect((await server.inject({ url: '/v2/things', headers })).statusCode).toBe(200);
    expect((await server.inject({ url: '/v2/things' })).statusCode).toBe(401);
    expect(taken).toEqual([]);
  });
});
