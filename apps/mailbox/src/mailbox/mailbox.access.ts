import type { IncomingHttpHeaders } from 'node:http';

/** Who calls, as the connection and the head of the request tell. */
export interface Caller {
  /** Address of the other end of the socket, never one that a header claims. */
  peer: string | undefined;
  headers: IncomingHttpHeaders;
}

const LOOPBACK_PEER = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Somebody passed the request on: the peer is then not who asks. */
const PASSED_ON =
  /^(?:x-forwarded(?:-.*)?|forwarded|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|via)$/;

function isPassedOn(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => PASSED_ON.test(name));
}

/**
 * Whether no other website is behind the request. Fetch metadata (W3C) tells it of browsers; other programs send none.
 * A page of another port of this machine is `same-site` and may link here, but not read or embed.
 */
function isOfOwnPage({ origin, host, 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && origin !== `http://${host}`) return false;
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return site === 'same-site' && mode === 'navigate';
}

/**
 * Whether the caller may read the mailbox without a key: a person or a program on this very machine. The Host must be a
 * name of loopback, too, or a website could point a name of its own at 127.0.0.1 and read along (DNS rebinding).
 */
export function isAtHome(caller: Caller): boolean {
  return LOOPBACK_PEER.test(caller.peer ?? '') && callsAtLoopback(caller);
}

/**
 * The same without a look at the peer: behind a published port of a container everybody comes from the engine's own
 * address. Whoever opens such a mailbox publishes its port on loopback alone.
 */
export function callsAtLoopback({ headers }: Caller): boolean {
  return LOOPBACK_HOST.test(headers.host ?? '') && !isPassedOn(headers) && isOfOwnPage(headers);
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The key as a bearer's. A browser can only ask its user for a name and a password (RFC 7617): there the password is the
 * key. No other website can make use of what the browser keeps: nothing here is written by GET, and no origin is let in.
 */
export function asBearer(authorization: string): string {
  const basic = BASIC.exec(authorization)?.[1];
  if (basic === undefined) return authorization;
  const pair = Buffer.from(basic, 'base64').toString();
  return `Bearer ${pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : ''}`;
}

/** How to come in (RFC 9110, 11.6.1). A browser can not ask its user for a bearer's key, any other program need not ask. */
export function challengeTo({ accept }: IncomingHttpHeaders): string {
  if (accept?.includes('text/html') !== true) return 'Bearer';
  return 'Basic realm="Lettermill mailbox: any name, the API key as password", charset="UTF-8"';
}
