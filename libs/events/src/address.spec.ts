import { addressFault } from '@lettermill/contract';
import { distinctAddresses, matchedEmail } from './address';
import { contactPartitionKey } from './event';

describe('matchedEmail', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ADA@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.EXAMPLE', 'ada@xn--bcher-kva.example'],
    ['E\u0301@example.com', 'é@example.com'],
    ['"Ü @ x"@BÜCHER.example', '"ü @ x"@xn--bcher-kva.example'],
    // Quotes stay, even if nothing needs them: stored addresses are found by them.
    ['"Ada"@example.com', '"ada"@example.com'],
  ])('turns %s into %s', (email, matched) => {
    expect(matchedEmail(email)).toBe(matched);
    expect(matchedEmail(matched)).toBe(matched);
  });

  it('maps no other address to an ASCII one (as Kelvin sign to k): a bounce of one would suppress the other', () => {
    const others: string[] = [];
    for (let code = 0x80; code <= 0xffff; code += 1) {
      const email = `"${String.fromCodePoint(code)}"@example.com`;
      if (/^[\u0000-\u007f]*$/.test(matchedEmail(email)) && addressFault(email) === undefined) others.push(email);
    }
    expect(others).toEqual([]);
  });

  it('only lower-cases what is not an address', () => {
    expect(['', 'Ünä', 'X@', 'ü@'].map(matchedEmail)).toEqual(['', 'ünä', 'x@', 'ü@']);
  });

  it('gives all spellings of a mailbox the same partition key', () => {
    expect(contactPartitionKey('a', 'email', 'x@Bücher.example')).toBe(
      contactPartitionKey('a', 'email', 'X@xn--bcher-kva.example'),
    );
    expect(contactPartitionKey('a', 'crm', 'X@Y')).toBe('a:crm:X@Y');
  });
});

it('distinctAddresses keeps the first spelling of each mailbox, in order', () => {
  const given = ['x@Bücher.example', 'ada@x.org', 'X@xn--bcher-kva.example', 'Ada@x.org'];
  expect(distinctAddresses(given)).toEqual(['x@Bücher.example', 'ada@x.org']);
});
