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
    // An IPv4 address embedded in IPv6 is judged as IPv6 and so refused, even if `allow` lists the IPv4 address.
    if (family === 'ipv6' && !isNativeIpv6(address)) return false;
    if (this.allowed.check(address, family)) return true;
    if (this.ownAddresses.check(address, family)) return false;
    return family === 'ipv4'
      ? !refusedIpv4.check(address, family)
      : publicIpv6.check(address, family) && !refusedIpv6.check(address, family);
  }
}

const embeddedIpv4 = blockListOf('ipv6', [
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
]);

/** Whether an IPv6 address stands for itself and not for an IPv4 address (mapped, translated or tunnelled). */
function isNativeIpv6(address: string): boolean {
  return !embeddedIpv4.check(address, 'ipv6');
}
