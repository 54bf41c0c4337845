import { among } from './addresses';

describe('addresses that are looked for', () => {
  const list = ['Ada@Example.com', 'bob@münchen.test', '"c d"@x.org'];

  it.each([
    ['ada@example.COM', true],
    ['BOB@xn--mnchen-3ya.test', true],
    ['"C D"@x.org', true],
    ['ada@example.org', false],
    ['', false],
  ])('are found in any spelling: %s', (address, found) => {
    expect(among(list)(address)).toBe(found);
  });

  it('are worked out once however many are asked: a report may name thousands on either side', () => {
    let read = 0;
    const counted = new Proxy(list, {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const isThere = among(counted);
    for (let i = 0; i < 1000; i += 1) isThere(`a${i}@x.org`);
    expect(read).toBe(list.length);
  });
});
