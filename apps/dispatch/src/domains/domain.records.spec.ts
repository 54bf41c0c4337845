import fc from 'fast-check';
import type { DomainKey } from './domain';
import { parseDomainName, signingDomains } from './domain.name';
import { recordStatusOf, dkimRecord } from './domain.records';

const PUBLIC_KEY = 'MIIB'.repeat(98);
const rsa: DomainKey = {
  algorithm: 'rsa-sha256',
  selector: 's1',
  publicKey: PUBLIC_KEY,
  wrapped: null,
  seen: 'unchecked',
};
const ed: DomainKey = { ...rsa, algorithm: 'ed25519-sha256', selector: 's1-ed', publicKey: 'AAAA' };

describe('the record of a key', () => {
  it('is shown as a whole, as strings that DNS accepts, and as a zone file line', () => {
    const { name, value, strings, zone } = dkimRecord('shop.example', rsa);
    expect(name).toBe('s1._domainkey.shop.example');
    expect(value).toBe(`v=DKIM1; k=rsa; p=${PUBLIC_KEY}`);
    expect(strings.join('')).toBe(value);
    expect(strings.map(({ length }) => length)).toEqual([255, value.length - 255]);
    expect(zone).toBe(`${name}. 3600 IN TXT ( "${strings[0]}" "${strings[1]}" )`);
    expect(recordStatusOf(rsa, [value])).toBe('found');
    expect(dkimRecord('shop.example', ed).value).toBe('v=DKIM1; k=ed25519; p=AAAA');
  });

  it.each([
    ['as shown', `v=DKIM1; k=rsa; p=${PUBLIC_KEY}`],
    ['without optional tags', `p=${PUBLIC_KEY}`],
    ['with blanks in the key', `v=DKIM1;p=${PUBLIC_KEY.slice(0, 90)} \r\n\t${PUBLIC_KEY.slice(90)} ; `],
    ['with notes and flags', `v=DKIM1; t=s; n=our key; h=sha1:sha256; s=email:x; p=${PUBLIC_KEY};`],
    ['for every service', `v=DKIM1; s=*; p=${PUBLIC_KEY}`],
  ])('is found where DNS has it %s', (_what, text) => {
    expect(recordStatusOf(rsa, [text])).toBe('found');
  });

  it.each([
    ['another key', [`v=DKIM1; p=${PUBLIC_KEY.slice(4)}`]],
    ['a key that is revoked', ['v=DKIM1; p=']],
    ['no key', ['v=DKIM1; k=rsa']],
    ['another kind of key', [`v=DKIM1; k=ed25519; p=${PUBLIC_KEY}`]],
    ['another version', [`v=DKIM2; p=${PUBLIC_KEY}`]],
    ['the version at the end', [`p=${PUBLIC_KEY}; v=DKIM1`]],
    ['a tag twice', [`p=${PUBLIC_KEY}; p=${PUBLIC_KEY}`]],
    ['a key for SHA-1 only', [`h=sha1; p=${PUBLIC_KEY}`]],
    ['a key for other services', [`s=other; p=${PUBLIC_KEY}`]],
    ['something else', ['v=spf1 -all']],
    ['an empty record', ['']],
    ['two records', [`p=${PUBLIC_KEY}`, `p=${PUBLIC_KEY}`]],
  ])('counts as different if DNS has %s', (_what, texts) => {
    expect(recordStatusOf(rsa, texts)).toBe('differs');
  });

  it('counts as missing or unreachable if the lookup says so', () => {
    expect([recordStatusOf(rsa, []), recordStatusOf(rsa, 'missing'), recordStatusOf(rsa, 'unreachable')]).toEqual([
      'missing',
      'missing',
      'unreachable',
    ]);
  });

  it('is never found in arbitrary text', () => {
    fc.assert(fc.property(fc.array(fc.string(), { maxLength: 3 }), (texts) => recordStatusOf(ed, texts) !== 'found'));
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
  ])('are rejected: «%s»', (text) => expect(parseDomainName(text)).toHaveProperty('fault'));

  it('are converted to lower-case A-labels', () => {
    expect(parseDomainName('Bücher.Example')).toEqual({ domain: 'xn--bcher-kva.example' });
    expect(signingDomains('"a@b"@Mail.Bücher.Example')).toEqual([
      'mail.xn--bcher-kva.example',
      'xn--bcher-kva.example',
    ]);
  });
});
