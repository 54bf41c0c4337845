import { fastify } from 'fastify';
import { refuseUnforwardedBodies } from './internal.hook';
import { INTERNAL_HEADER, signInternal } from './internal.token';

const SECRET = 's'.repeat(32);
const NOW = 1_000_000;

describe('the body of a call to an owner', () => {
  const read: string[] = [];
  const server = fastify();
  beforeAll(() => {
    refuseUnforwardedBodies(server, SECRET, () => NOW);
    server.addContentTypeParser('text/x-seen', { parseAs: 'string' }, (_request, body, done) => {
      read.push(body as string);
      done(null, body);
    });
    server.put('/v2/things', () => ({}));
    server.get('/health/live', () => ({}));
  });
  afterAll(() => server.close());

  const put = (secret: string) => {
    const token = signInternal(secret, { accountId: 'a', method: 'PUT', path: '/v2/things' }, NOW);
    const headers = { [INTERNAL_HEADER]: token, 'content-type': 'text/x-seen' };
    return server.inject({ method: 'PUT', url: '/v2/things', headers, payload: secret });
  };

  it('is read only when the gateway forwards the call', async () => {
    expect((await put(SECRET)).statusCode).toBe(200);
    expect((await put('x'.repeat(32))).statusCode).toBe(401);
    expect((await server.inject({ method: 'PUT', url: '/v2/things', payload: {} })).statusCode).toBe(401);
    expect((await server.inject({ method: 'POST', url: '/nothing', payload: {} })).statusCode).toBe(401);
    expect((await server.inject('/health/live')).statusCode).toBe(200);
    expect(read).toEqual([SECRET]);
  });
});
