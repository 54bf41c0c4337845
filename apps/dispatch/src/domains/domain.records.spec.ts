import fc from 'fast-check';
import type { DomainKey } from './domain';
import { domainName, signingDomains } from './domain.name';
import { judge, dkimRecord } from './domain.records';

const P = 'MIIB'.repeat(98);
const rsa: DomainKey = { algorithm: 'rsa-sha256', selector: 's1', publicKey: P, wrapped: null, seen: 'unchecked' };
const ed: DomainKey = { ...rsa, algorithm: 'ed25519-sha256', selector: 's1-ed', publicKey: 'AAAA' };

describe('the record of a key', () => {
  it('is shown as a whole, as strings that DNS accepts, and as a zone file line', () => {
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
    ['as shown', `v=DKIM1; k=rsa; p=${P}`],
    ['without optional tags', `p=${P}`],
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
    ['the version at the end', [`p=${P}; v=DKIM1`]],
    ['a tag twice', [`p=${P}; p=${P}`]],
    ['a key for SHA-1 only', [`h=sha1; p=${P}`]],
    ['a key for other services', [`s=other; p=${P}`]],
    ['something else', ['v=spf1 -all']],
    ['an empty record', ['']],
    ['two records', [`p=${P}`, `p=${P}`]],
  ])('counts as different if DNS has %s', (_what, texts) => {
    expect(judge(rsa, texts)).toBe('differs');
  });

  it('counts as missing or unreachable if the lookup says so', () => {
    expect([judge(rsa, []), judge(rsa, 'missing'), judge(rsa, 'unreachable')]).toEqual([
      ...['missing', 'missing', 'unreachable'],
    ]);
  });

  it('is never found in arbitrary text', () => {
    fc.assert(fc.property(fc.array(fc.string(), { maxLength: 3 }), (texts) => judge(ed, texts) !== 'found'));
  });
});

describe('domain names', () => {
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
  ])('are rejected: «%s»', (text) => expect(domainName(text)).toHaveProperty('fault'));

  it('are converted to lower-case A-labels', () => {
    expect(domainName('Bücher.Example')).toEqual({ domain: 'xn--bcher-kva.example' });
    expect(signingDomains('"a@b"@Mail.Bücher.Example')).toEqual([
      'mail.xn--bcher-kva.example',
      'xn--bcher-kva.example',
    ]);
  });
});
