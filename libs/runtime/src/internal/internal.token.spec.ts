import { signInternal, verifyInternal } from './internal.token';

const SECRET = 's'.repeat(32);
const call = { accountId: 'a', method: 'GET', path: '/v2/messages?limit=1' };
const NOW = 1_000_000;

describe('token of a forwarded call', () => {
  const token = signInternal(SECRET, call, NOW);

  it('gives the account to a service that has the secret', () => {
    expect(verifyInternal(SECRET, token, call, NOW + 30_000)).toBe('a');
  });

  it.each([
    ['another secret', 'x'.repeat(32), token, call, NOW],
    ['another method', SECRET, token, { ...call, method: 'DELETE' }, NOW],
    ['another path', SECRET, token, { ...call, path: '/v2/messages' }, NOW],
    ['an expired time', SECRET, token, call, NOW + 30_001],
    ['no token', SECRET, '', call, NOW],
    ['no signature', SECRET, token.split('.')[0]!, call, NOW],
    ['a changed payload', SECRET, `x${token}`, call, NOW],
    ['a cut signature', SECRET, token.slice(0, -2), call, NOW],
  ])('is refused with %s', (_, secret, text, seen, now) => {
    expect(verifyInternal(secret, text, seen, now)).toBeUndefined();
  });
});
