import { domainOf } from './delivery.job';

describe('the domain that an attempt is counted for', () => {
  it.each([
    ['ada@Example.COM', 'example.com'],
    ['ada@münchen.example', 'xn--mnchen-3ya.example'],
    ['ada@xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['"a@b"@example.com', 'example.com'],
  ])('of %s is %s', (address, domain) => {
    expect(domainOf(address)).toBe(domain);
  });
});
