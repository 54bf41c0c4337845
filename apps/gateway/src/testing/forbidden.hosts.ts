/** Internal addresses: this machine, the metadata services of clouds, private networks. */
const INTERNAL_ADDRESSES = [
  '127.0.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '10.0.0.1',
  '192.168.0.1',
  '172.16.0.1',
  '100.64.0.1',
];

const hex = (number: number, digits = 1) => number.toString(16).padStart(digits, '0');
const wide = (text: string) => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const circled = (text: string) =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(digit === '0' ? 0x24ea : 0x245f + Number(digit)));
const percent = (text: string) => [...text].map((char) => `%${hex(char.charCodeAt(0), 2)}`).join('');

/** All ways of writing an IPv4 address that URL parsers, resolvers and tunnels are known to understand. */
function spellings(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (number: number) => `0${number.toString(8)}`;
  const [high, low] = [hex(a * 256 + b), hex(c * 256 + d)];
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${hex(whole)}`,
    octal(whole),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((one) => `0x${hex(one)}`).join('.'),
    `${a}.${whole % 2 ** 24}`,
    `${a}.${b}.${c * 256 + d}`,
    `${octal(a)}.${b}.0x${hex(c)}.${d}`,
    [a, b, c, d].map((one) => String(one).padStart(3, '0')).join('.'),
    wide(address),
    circled(address),
    percent(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[::ffff:0:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[fe80::5efe:${address}]`,
    `[2001:0:1::${hex(0xffff - (a * 256 + b))}:${hex(0xffff - (c * 256 + d))}]`,
  ];
}

const HOSTS = [
  ...INTERNAL_ADDRESSES.flatMap(spellings),
  '0',
  '0.0.0.0',
  '00.0.0.0',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0x7f.1',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[4000::1]',
  '198.18.0.1',
  '192.0.2.1',
  '192.0.0.192',
  '192.88.99.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];

/** Hosts of URLs that must never be connected to. */
export const FORBIDDEN_HOSTS = [...new Set(HOSTS)];

/** Answers of a resolver that are as forbidden as the addresses themselves. */
export const FORBIDDEN_ANSWERS = [
  ...INTERNAL_ADDRESSES,
  '::1',
  '::',
  '0.0.0.0',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fe80::1%lo',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  '::7f00:1',
  'localhost',
  '',
  '127.1',
  '2130706433',
];
