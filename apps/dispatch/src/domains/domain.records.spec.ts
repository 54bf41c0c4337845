import fc from 'fast-check';
import type { DomainKey } from './domain';
import { domainName, signingDomains } from './domain.name';
import { judge, dkimRecord } from './domain.records';

const P = 'MIIB'.repeat(98);
const rsa: DomainKey = { algorithm: 'rsa-sha256', selector: 's1', publicKey: P, wrapped: null, seen: 'unchecked' };
const ed: DomainKey = { ...rsa, algorithm: 'ed25519-sha256', selector: 's1-ed', publicKey: 'AAAA' };

describe('the record of a key', () => {
  it('is told whole, in strings that DNS takes, and as a line of a zone', () => {
    const { name, value, strings, zone } = dkimRecord('shop.example', rsa);
    expect(name).toBe('s1._domainkey.shop.example');
    expect(value).toBe(`v=DKIM1; k=rsa; p=${P}`);
    expect(strings.join('')).toBe(value);
    expect(strings.map(({ length }) => length)).toEqual([255, value.length - 255]);
    expect(zone).toBe(`${name}. 3600 IN TXT ( "${strings[0]}" "${strings[1]}" )`);
    expect(judge(rsa, [value])).toBe('found');
    expect(dkimRecord('shop.example', ed).value).toBe('v=DKIM1; k=ed25519; p=AAAA');
  });

  it.each([
    ['as it is told', `v=DKIM1; k=rsa; p=${P}`],
    ['without what may be left out', `p=${P}`],
    ['with blanks in the key', `v=DKIM1;p=${P.slice(0, 90)} \r\n\t${P.slice(90)} ; `],
    ['with notes and flags', `v=DKIM1; t=s; n=our key; h=sha1:sha256; s=email:x; p=${P};`],
    ['for every service', `v=DKIM1; s=*; p=${P}`],
  ])('is found where DNS has it %s', (_what, text) => {
    expect(judge(rsa, [text])).toBe('found');
  });

  it.each([
    ['another key', [`v=DKIM1; p=${P.slice(4)}`]],
    ['a key that is revoked', ['v=DKIM1; p=']],
    ['no key', ['v=DKIM1; k=rsa']],
    ['another kind of key', [`v=DKIM1; k=ed25519; p=${P}`]],
    ['another version', [`v=DKIM2; p=${P}`]],
    ['the version behind', [`p=${P}; v=DKIM1`]],
    ['a tag twice', [`p=${P}; p=${P}`]],
    ['a key for SHA-1 alone', [`h=sha1; p=${P}`]],
    ['a key for other services', [`s=other; p=${P}`]],
    ['something else', ['v=spf1 -all']],
    ['nothing in it', ['']],
    ['two records', [`p=${P}`, `p=${P}`]],
  ])('differs where DNS has %s', (_what, texts) => {
    expect(judge(rsa, texts)).toBe('differs');
  });

  it('is missing or unreachable as the look says', () => {
    expect([judge(rsa, []), judge(rsa, 'missing'), judge(rsa, 'unreachable')]).toEqual([
      ...['missing', 'missing', 'unreachable'],
    ]);
  });

  it('is judged of any text at all', () => {
    fc.assert(fc.property(fc.array(fc.string(), { maxLength: 3 }), (texts) => judge(ed, texts) !== 'found'));
  });
});

describe('names', () => {
  it.each([
    '',
    'example',
    '-a.example',
    'a..example',
    'a b.example',
    '10.0.0.1',
    '[::1]',
    'a@b.example',
    'x.example.',
    `${'a'.repeat(60)}.`.repeat(3) + 'example',
  ])('are no domain: «%s»', (text) => expect(domainName(text)).toHaveProperty('fault'));

  it('are A-labels in lower case', () => {
    expect(domainName('Bücher.Example')).toEqual({ domain: 'xn--bcher-kva.example' });
    expect(signingDomains('"a@b"@Mail.Bücher.Example')).toEqual([
      'mail.xn--bcher-kva.example',
      'xn--bcher-kva.example',
    ]);
  });
});
