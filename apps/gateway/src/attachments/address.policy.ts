import { BlockList, isIP } from 'node:net';

type Range = [address: string, prefix: number];

/** Ranges that files are never fetched from: not public (IANA special-purpose registries), or internal to a cloud. */
const REFUSED_IPV4: Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Refused ranges within 2000::/3 (nothing outside it is public): protocol assignments, documentation, what was used for tests. */
const REFUSED_IPV6: Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2620:4f:8000::', 48],
  ['3f00::', 8],
];

function blockListOf(family: 'ipv4' | 'ipv6', ranges: Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

const refusedIpv4 = blockListOf('ipv4', REFUSED_IPV4);
const refusedIpv6 = blockListOf('ipv6', REFUSED_IPV6);
const publicIpv6 = blockListOf('ipv6', [['2000::', 3]]);

/** Judges the address itself, never the way it was written. */
export class AddressPolicy {
  private readonly allowed = new BlockList();
  private readonly ownAddresses = new BlockList();

  /** `allow`: CIDRs that may be reached although they are not public; `own`: addresses of this machine. */
  constructor(allow: string[], own: string[] = []) {
    for (const cidr of allow) {
      const [address = '', prefix] = cidr.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      this.allowed.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
    }
    for (const address of own) this.ownAddresses.addAddress(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  /** Whether a file may be fetched from the address. False for anything that is not an IP address. */
  permits(address: string): boolean {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return false;
    const family = version === 6 ? 'ipv6' : 'ipv4';
    const translated = translatedIpv4(address);
    if (translated !== undefined) return this.isPublic(translated, 'ipv4');
    // Any other IPv4 address embedded in IPv6 is refused, even if `allow` lists the IPv4 address.
    if (family === 'ipv6' && !isNativeIpv6(address)) return false;
    if (this.allowed.check(address, family)) return true;
    return this.isPublic(address, family);
  }

  private isPublic(address: string, family: 'ipv4' | 'ipv6'): boolean {
    if (this.ownAddresses.check(address, family)) return false;
    return family === 'ipv4'
      ? !refusedIpv4.check(address, family)
      : publicIpv6.check(address, family) && !refusedIpv6.check(address, family);
  }
}

const translatedIpv6 = blockListOf('ipv6', [['64:ff9b::', 96]]);

/** The IPv4 address that a NAT64 gateway translates an address to (RFC 6052 2.1); resolvers with DNS64 answer with these. */
function translatedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6 || !translatedIpv6.check(address, 'ipv6')) return undefined;
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const groups = ['0', '0', ...shortest.slice(shortest.indexOf('::') + 2).split(':')].slice(-2);
  const [high = 0, low = 0] = groups.map((group) => parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const embeddedIpv4 = blockListOf('ipv6', [
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
]);

/** Whether an IPv6 address stands for itself and not for an IPv4 address (mapped, translated or tunnelled). */
function isNativeIpv6(address: string): boolean {
  return !embeddedIpv4.check(address, 'ipv6');
}
