import { addressMatcher, typedAddress } from './addresses';

describe('among', () => {
  const list = ['Ada@Example.com', 'bob@münchen.test', '"c d"@x.org'];

  it.each([
    ['ada@example.COM', true],
    ['BOB@xn--mnchen-3ya.test', true],
    ['"C D"@x.org', true],
    ['ada@example.org', false],
    ['', false],
  ])('matches an address in any spelling: %s', (address, found) => {
    expect(addressMatcher(list)(address)).toBe(found);
  });

  it('reads its list only once, however many addresses are looked up', () => {
    let read = 0;
    const counted = new Proxy(list, {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const isThere = addressMatcher(counted);
    for (let i = 0; i < 1000; i += 1) isThere(`a${i}@x.org`);
    expect(read).toBe(list.length);
  });
});

describe('typedAddress', () => {
  it.each([
    ['rfc822; ada@example.org', 'ada@example.org'],
    ['RFC822;Ada <ada@example.org>', 'ada@example.org'],
    ['rfc822; ada+2Btag@example.org', 'ada+tag@example.org'],
    ['utf-8; jörg@example.org', 'jörg@example.org'],
    // RFC 6533 section 3: other characters are spelt out where only ASCII is allowed.
    ['utf-8; j\\x{F6}rg@example.org', 'jörg@example.org'],
    ['utf-8;\\x{5C71}\\x{7530}@\\x{4F8B}\\x{3048}.example', '山田@例え.example'],
    ['utf-8; \\x{1F600}@example.org', '😀@example.org'],
    ['utf-8; a\\x{2B}b@example.org', 'a+b@example.org'],
  ])('reads «%s» as %s', (value, address) => {
    expect(typedAddress(value)).toBe(address);
  });

  it.each(['X400; /S=ada/', 'utf-8; a\\x{110000}@example.org', 'utf-8; a\\x{D800}@example.org', 'local; ada'])(
    'finds no address in «%s»',
    (value) => {
      expect(typedAddress(value)).toBeUndefined();
    },
  );
});
