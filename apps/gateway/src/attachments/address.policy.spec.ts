import fc from 'fast-check';
import { AddressPolicy } from './address.policy';

const REFUSED_ADDRESSES = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::127.0.0.1',
  '::a9fe:a9fe',
  '::1:7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::',
  '64:ff9b::10.0.0.0',
  '64:ff9b::a00:1',
  '64:ff9b::1',
  '64:ff9b::127.0.0.1',
  '64:ff9b:0:0:0:0:a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '3ffe::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '4000::1',
  '1fff::1',
  'fe80::1%eth0',
  '2606:4700:4700::1111%eth0',
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '1.2.3',
  '1.2.3.4.5',
  '[::1]',
  '::1/128',
];
const PERMITTED_ADDRESSES = [
  '64:ff9b::8.8.8.8',
  '64:ff9b::5db8:d70e',
  '64:ff9b:0:0::101:1',
  '64:ff9b::800:0',
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.1',
  '198.17.255.255',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2003::1',
  '3eff::1',
];

const ONES = 'ffff:ffff:ffff';
/** Each refused range within what is public: the addresses before it, its first and last one, and the one after it. */
const REFUSED_RANGES = [
  [undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', undefined],
  [undefined, '::', `1fff:ffff:${ONES}:${ONES}`, '2000::'],
  [`2000:ffff:${ONES}:${ONES}`, '2001::', `2001:1ff:${ONES}:${ONES}`, '2001:200::'],
  [`2001:db7:${ONES}:${ONES}`, '2001:db8::', `2001:db8:${ONES}:${ONES}`, '2001:db9::'],
  [`2001:ffff:${ONES}:${ONES}`, '2002::', `2002:ffff:${ONES}:${ONES}`, '2003::'],
  [`2620:4f:7fff:ffff:ffff:${ONES}`, '2620:4f:8000::', `2620:4f:8000:ffff:ffff:${ONES}`, '2620:4f:8001::'],
  [`3eff:ffff:${ONES}:${ONES}`, '3f00::', `ffff:ffff:${ONES}:${ONES}`, undefined],
] as const;
/** The same of the ranges whose addresses stand for IPv4 addresses: they are refused whatever is allowed. */
const EMBEDDED_RANGES = [
  ['::fffe:ffff:ffff', '::ffff:0:0', '::ffff:ffff:ffff', '::1:0:0:0'],
  [`::fffe:${ONES}`, '::ffff:0:0:0', '::ffff:0:ffff:ffff', '::ffff:1:0:0'],
  [`64:ff9b:0:ffff:ffff:${ONES}`, '64:ff9b:1::', `64:ff9b:1:ffff:ffff:${ONES}`, '64:ff9b:2::'],
  [`2000:ffff:${ONES}:${ONES}`, '2001::', `2001:0:${ONES}:${ONES}`, '2001:1::'],
  [`2001:ffff:${ONES}:${ONES}`, '2002::', `2002:ffff:${ONES}:${ONES}`, '2003::'],
] as const;

describe('AddressPolicy', () => {
  const policy = new AddressPolicy([]);

  it.each(REFUSED_ADDRESSES)('refuses %j', (address) => {
    expect(policy.permits(address)).toBe(false);
  });

  it.each(PERMITTED_ADDRESSES)('permits %s', (address) => {
    expect(policy.permits(address)).toBe(true);
  });

  it.each(REFUSED_RANGES)('permits %s, refuses %s to %s, and permits %s', (before, first, last, after) => {
    expect([first, last].map((address) => policy.permits(address))).toEqual([false, false]);
    for (const address of [before, after])
      if (address) expect([address, policy.permits(address)]).toEqual([address, true]);
  });

  it.each(EMBEDDED_RANGES)('where all are allowed permits %s, refuses %s to %s, and permits %s', (...addresses) => {
    const open = new AddressPolicy(['::/0', '0.0.0.0/0']);
    expect(addresses.map((address) => open.permits(address))).toEqual([true, false, false, true]);
  });

  it('refuses the addresses of this machine, public or not', () => {
    expect(new AddressPolicy([], ['8.8.8.8', '2606:4700::1']).permits('8.8.8.8')).toBe(false);
    expect(new AddressPolicy([], ['8.8.8.8', '2606:4700::1']).permits('2606:4700::1')).toBe(false);
  });

  it('permits the allowed ranges, but not the same addresses in another notation', () => {
    const open = new AddressPolicy(['127.0.0.0/8', 'fd00::/8', '10.1.2.3', 'fc00::2'], ['127.0.0.1']);
    for (const address of ['127.0.0.1', '127.9.9.9', 'fd00::1', '10.1.2.3', 'fc00::2'])
      expect(open.permits(address)).toBe(true);
    for (const address of [
      '10.1.2.2',
      '10.1.2.4',
      'fc00::3',
      'fc00:0:1::2',
      '::ffff:127.0.0.1',
      '::7f00:1',
      '64:ff9b::7f00:1',
      'fe80::1',
    ]) {
      expect(open.permits(address)).toBe(false);
    }
  });

  it('judges an address that a NAT64 gateway translates by its IPv4 address, if that is public and not of this machine', () => {
    const own = new AddressPolicy(['10.0.0.0/8', '::/0'], ['8.8.8.8']);
    expect(own.permits('64:ff9b::8.8.8.8')).toBe(false);
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(policy.permits(`64:ff9b::${address}`)).toBe(policy.permits(address));
        expect(own.permits(`64:ff9b::${address}`)).toBe(policy.permits(address) && address !== '8.8.8.8');
      }),
    );
  });

  it('never permits another IPv4 address embedded in an IPv6 address', () => {
    const prefixes = ['::', '::ffff:', '::ffff:0:'];
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...prefixes), (address, prefix) => {
        expect(policy.permits(prefix + address)).toBe(false);
      }),
    );
  });
});
