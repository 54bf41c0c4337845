import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback, type Config } from '@lettermill/config';

/** The caller, by the connection and the headers of the request. */
export interface Caller {
  /** Address of the other end of the socket, never one claimed by a header. */
  peer: string | undefined;
  headers: IncomingHttpHeaders;
}

const LOOPBACK_PEER = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers of a request that was forwarded: the peer is then not the caller. */
const FORWARDING_HEADER =
  /^(?:x-forwarded(?:-.*)?|forwarded|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|via)$/;

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDING_HEADER.test(name));
}

/**
 * Whether the request does not come from another website. Browsers say so in fetch metadata (W3C); other programs send none. A page on
 * another port of this machine is `same-site`: it may link here, but neither read nor embed.
 */
function isFromOwnPage({ origin, host, 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && origin !== `http://${host}`) return false;
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return site === 'same-site' && mode === 'navigate';
}

/**
 * Whether the caller may read the mailbox without a key: a person or program on this machine. The Host must also be a loopback name;
 * otherwise a website could point a name of its own at 127.0.0.1 and read the mails (DNS rebinding).
 */
export function isLocalCaller(caller: Caller): boolean {
  return LOOPBACK_PEER.test(caller.peer ?? '') && isLoopbackRequest(caller);
}

/**
 * The same check without the peer: behind a container's published port every caller has the address of the container engine. If the mailbox
 * is open in this way, its port must be published on loopback only.
 */
function isLoopbackRequest({ headers }: Caller): boolean {
  return LOOPBACK_HOST.test(headers.host ?? '') && !isForwarded(headers) && isFromOwnPage(headers);
}

/** Who needs no key: nobody, callers on this machine, or everybody who reaches the port, as if they were on this machine. */
export type KeylessCallers = 'none' | 'local' | 'all';

/**
 * Where PUBLIC_URL is an address for others, a proxy passes their requests on. If it runs on this machine and tells neither the caller nor
 * the outer Host, they cannot be told from local ones; so nobody counts as local.
 */
export function keylessCallers({ mailbox, publicUrl }: Pick<Config, 'mailbox' | 'publicUrl'>): KeylessCallers {
  if (mailbox.open) return 'all';
  return publicUrl === null || isLoopback(new URL(publicUrl).hostname) ? 'local' : 'none';
}

export function needsNoKey(caller: Caller, keyless: KeylessCallers): boolean {
  if (keyless === 'none') return false;
  return keyless === 'all' ? isLoopbackRequest(caller) : isLocalCaller(caller);
}

const BASIC_CREDENTIALS = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The key as a bearer key. A browser can ask its user only for a name and a password (RFC 7617): then the password is the key. No other
 * website can misuse what the browser stores: nothing here is changed by GET, and no other origin is allowed.
 */
export function asBearer(authorization: string): string {
  const basic = BASIC_CREDENTIALS.exec(authorization)?.[1];
  if (basic === undefined) return authorization;
  const pair = Buffer.from(basic, 'base64').toString();
  return `Bearer ${pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : ''}`;
}

/**
 * The challenge of a 401 (RFC 9110, 11.6.1). Only browsers get `Basic`: they cannot ask their user for a bearer key; other programs do not
 * ask.
 */
export function challengeTo({ accept }: IncomingHttpHeaders): string {
  if (accept?.includes('text/html') !== true) return 'Bearer';
  return 'Basic realm="Lettermill mailbox: any name, the API key as password", charset="UTF-8"';
}
