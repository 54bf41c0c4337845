import { isIPv4 } from 'node:net';

const WHOLE_HOST_NAME = /^(?=.{1,255}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9-]+$/;

/**
 * Our name in EHLO if none is configured: the machine's, if it is a complete host name, else our end of the connection as an address
 * literal (RFC 5321 sections 4.1.1.1 and 4.1.3). Relays such as Google's refuse a loopback literal from another machine.
 */
export function ownName(hostname: string, localAddress = '127.0.0.1'): string {
  if (WHOLE_HOST_NAME.test(hostname)) return hostname;
  const address = localAddress.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIPv4(address) ? `[${address}]` : `[IPv6:${address}]`;
}
