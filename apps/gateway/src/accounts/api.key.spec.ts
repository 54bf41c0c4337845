import { bearerKey, hashApiKey, newApiKey, sameBytes } from './api.key';

describe('API keys', () => {
  it('are long, random and prefixed', () => {
    const keys = new Set(Array.from({ length: 1000 }, newApiKey));
    expect(keys.size).toBe(1000);
    for (const key of keys) expect(key).toMatch(/^lm_[A-Za-z0-9_-]{43}$/);
  });

  it('are compared by hash', () => {
    expect(sameBytes(hashApiKey('a'), hashApiKey('a'))).toBe(true);
    expect(sameBytes(hashApiKey('a'), hashApiKey('b'))).toBe(false);
    expect(sameBytes(hashApiKey('a'), Buffer.alloc(3))).toBe(false);
  });

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    ['Bearer ä', undefined],
    [undefined, undefined],
  ])('are read from the header %s: %s', (header, key) => {
    expect(bearerKey(header)).toBe(key);
  });
});
