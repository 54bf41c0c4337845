import * as fc from 'fast-check';
import { addressFault, thoroughFault } from './mailbox';
import { nearAddress } from '../testing/addresses';

const repeatA = (count: number) => 'a'.repeat(count);
const LABEL = repeatA(63);
/** 254 octets: 1 + 1 + 3 × 64 + 60. */
const LONGEST_ADDRESS = `a@${LABEL}.${LABEL}.${LABEL}.${repeatA(60)}`;

const codeOf = (text: string) => thoroughFault(text)?.code;
const detailOf = (text: string) => thoroughFault(text)?.detail;

describe('an address is refused', () => {
  it.each([
    ['', 'it is empty'],
    ['ada', 'it has no @'],
    ['@', 'there is nothing before @'],
    ['@example.com', 'there is nothing before @'],
    ['ada@', 'there is nothing after @'],
    ['.ada@example.com', 'a dot before @'],
    ['ada.@example.com', 'a dot before @'],
    ['ada..l@example.com', 'a dot before @'],
    ['ada\\@x@example.com', '«\\» is not allowed before @'],
    ['ada@b@example.com', '@ is not allowed in the domain'],
    ['a b@example.com', 'a space is not allowed before @'],
    [' ada@example.com', 'a space is not allowed before @'],
    ['ada@example.com ', '« » is not allowed in a domain'],
    ['ada@ example.com', '« » is not allowed in a domain'],
    ['mailto:ada@example.com', '«:» is not allowed before @'],
    ['Ada <ada@example.com>', 'the display name in name'],
    ['<ada@example.com>', 'the display name in name'],
    ['ada@example.com, bob@example.com', '@ is not allowed in the domain'],
    ['(work)ada@example.com', 'comments are not allowed'],
    ['ada(work)@example.com', 'comments are not allowed'],
    ['ada@example.com(work)', 'comments are not allowed'],
    ['"ada@example.com', 'must end with a quote'],
    ['"ada\\"@example.com', 'must end with a quote'],
    ['"ada"l@example.com', 'must end with a quote'],
    ['"ada"."l"@example.com', 'must end with a quote'],
    ['"""@example.com', 'must end with a quote'],
    ['ada"l"@example.com', 'is not allowed before @'],
    ['"ada\\é"@example.com', 'only an ASCII character may follow a backslash'],
    ['ada@example', 'only one name'],
    ['ada@localhost', 'only one name'],
    ['ada@.example.com', 'a dot in the domain'],
    ['ada@example..com', 'a dot in the domain'],
    ['ada@example.com.', 'a dot in the domain'],
    ['ada@-example.com', 'begins or ends with a hyphen'],
    ['ada@example-.com', 'begins or ends with a hyphen'],
    ['ada@example.com-', 'begins or ends with a hyphen'],
    ['ada@exam_ple.com', '«_» is not allowed in a domain'],
    ['ada@exam/ple.com', '«/» is not allowed in a domain'],
    ['ada@ex%61mple.com', '«%» is not allowed in a domain'],
    ['ada@[127.0.0.1]', 'IP addresses are not accepted'],
    ['ada@[IPv6:::1]', 'IP addresses are not accepted'],
    ['ada@127.0.0.1', 'the domain ends with a number'],
    ['ada@１２７.０.０.１', 'the domain ends with a number'],
    ['ada@example.123', 'the domain ends with a number'],
    ['ada@127.0x1', 'the domain ends with a number'],
    ['ada@example.0X', 'the domain ends with a number'],
    ['ada@xn--a.com', 'not a valid internationalised domain name'],
    ['ada@bücher.xn--a', 'not a valid internationalised domain name'],
    ['ada@xn--xn---epa.com', 'not a valid internationalised domain name'],
    ['ada@bü\u200bcher.example', '«\\u200b» is not allowed in a domain'],
    ['ada@bücher。example', 'is not allowed in a domain'],
    ['ada@i❤.example', '«❤» is not allowed in a domain'],
    ['\ufeffada@example.com', 'U+FEFF is not allowed before @'],
    ['ada\u00a0l@example.com', 'U+00A0 is not allowed before @'],
    ['"ada\u3000l"@example.com', 'U+3000 is not allowed before @'],
    ['mi\u212ae@example.com', 'U+212A is not allowed before @'],
    ['"\u037e"@example.com', 'U+037E is not allowed before @'],
    ['mi\u1fefke@example.com', 'U+1FEF is not allowed before @'],
    ['mi\u00adke@example.com', 'U+00AD is not allowed before @'],
    // 64 octets in 32 letters; with the 190 of the domain, 255 in total.
    [`${'é'.repeat(32)}@${LABEL}.${LABEL}.${repeatA(62)}`, 'it is longer than 254 octets'],
    [`${repeatA(65)}@example.com`, 'longer than 64 octets'],
    [`"${repeatA(63)}"@example.com`, 'longer than 64 octets'],
    [`${'é'.repeat(33)}@example.com`, 'longer than 64 octets'],
    [`ada@${repeatA(64)}.com`, 'longer than 63 characters'],
    [`ada@${'ü'.repeat(60)}.com`, 'longer than 63 characters'],
    [`a${LONGEST_ADDRESS}`, 'longer than 254 octets'],
    [repeatA(100_000), 'longer than 254 octets'],
  ])('%s', (text, why) => {
    expect(codeOf(text)).toBe('invalid_email');
    expect(detailOf(text)).toContain(why);
  });

  it.each([
    'ada@example.com\n',
    '\r\nada@example.com',
    'a\u0000da@example.com',
    'ada@exam\tple.com',
    '"a\r\nRCPT TO:<x@y>"@example.com',
    '"a\\\u0007"@example.com',
    'ada\u007f@example.com',
    'ada\u0085@example.com',
    'ada\u2028@example.com',
    'ada@example\u2029.com',
  ])('for a control character: %j', (text) => {
    expect(codeOf(text)).toBe('control_character');
    expect(detailOf(text)).toMatch(/control character U\+[0-9A-F]{4}$/);
  });

  it.each(['ada\ud800@example.com', 'ada@ex\udc00.com', '"\ud800"@example.com'])('for a lone surrogate: %j', (text) => {
    expect(codeOf(text)).toBe('invalid_unicode');
  });

  it('with its text shortened and control characters escaped', () => {
    expect(detailOf(`${repeatA(300)}`)).toBe(`«${repeatA(80)}…»: it is longer than 254 octets`);
    expect(detailOf('a\nb')).toBe('«a\\u000ab» contains the control character U+000A');
  });
});

describe('an address is accepted', () => {
  it.each([
    'a@b.co',
    'ada@example.com',
    'Ada.Lovelace@Example.COM',
    'ada+news@example.com',
    "!#$%&'*+-/=?^_`{|}~@example.com",
    '123@123.com',
    '-@example.com',
    'ada@a.b',
    'ada@c--n.com',
    'ada@xn--bcher-kva.example',
    'xn--ada@example.com',
    'ada@bücher.example',
    'ada@BÜCHER.example',
    'ada@fass.ß',
    'δοκιμή@παράδειγμα.δοκιμή',
    '用户@例子.广告',
    'ada😀@example.com',
    '""@example.com',
    '"ada"@example.com',
    '"a b"@example.com',
    '"a@b"@example.com',
    '"a..b"@example.com',
    '"(ada)"@example.com',
    '"a\\"b"@example.com',
    '"a\\\\"@example.com',
    '"a\\ b"@example.com',
    '"é"@example.com',
    `${repeatA(64)}@example.com`,
    `"${repeatA(62)}"@example.com`,
    `${'é'.repeat(32)}@example.com`,
    `ada@${LABEL}.com`,
    LONGEST_ADDRESS,
  ])('%s', (text) => {
    expect([thoroughFault(text), addressFault(text)]).toEqual([undefined, undefined]);
  });
});

describe('any text', () => {
  it('gets the same fault from the quick check and the thorough one', () => {
    fc.assert(
      fc.property(nearAddress, (text) => {
        expect(addressFault(text)).toEqual(thoroughFault(text));
      }),
      { numRuns: 20_000 },
    );
  });
});
