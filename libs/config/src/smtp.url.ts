import { urlIn } from '@lettermill/web';
import { domainToASCII } from 'node:url';

/** When connections to the next hop use TLS. */
export type TlsPolicy = 'opportunistic' | 'require' | 'off';

export interface NextHop {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps:`). */
  implicitTls: boolean;
  tls: TlsPolicy;
  auth: { user: string; pass: string } | null;
}

/** Port of submission with TLS from the first byte (RFC 8314 section 3.3). */
const IMPLICIT_TLS_PORT = 465;
const TLS_POLICIES: TlsPolicy[] = ['opportunistic', 'require', 'off'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Advice for the most likely cause: a password with such a character. */
const ENCODING_ADVICE = 'in user and password / is written %2F, ? is %3F, # is %23, @ is %40 and % is %25';

/** The URL parser leaves the host of `smtp:` URLs percent-escaped; DNS needs A-labels. Empty if it is not a valid host. */
function hostOf({ hostname }: URL): string {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host.includes('%') ? domainToASCII(host) : host;
}

/** What is not allowed in such a URL. It may come from an unescaped password that splits the URL, so no part of it is repeated. */
function faultIn(url: URL): string | undefined {
  const { port, pathname, hash, searchParams } = url;
  if (!hostOf(url)) return 'names no host';
  if (port === '0') return 'names the port 0';
  if (!['', '/'].includes(pathname) || hash)
    return `has more than a port and options after the host; ${ENCODING_ADVICE}`;
  const options = [...searchParams.keys()];
  if (options.some((name) => name !== 'tls')) return `has an option that is not tls; ${ENCODING_ADVICE}`;
  return options.length > 1 ? 'has tls more than once' : undefined;
}

function credentialsOf({ username, password }: URL): NextHop['auth'] | string {
  if (!username) return password ? 'has a password but no user' : null;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return `has a % that encodes nothing; ${ENCODING_ADVICE}`;
  }
}

/** Parses `smtp[s]://user:pass@host:port?tls=…`; returns the hop, or what is wrong with the text. */
export function parseSmtpUrl(text: string): NextHop | string {
  const url = urlIn(text);
  if (!url) return `is not a URL; ${ENCODING_ADVICE}`;
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') return 'must begin with smtp:// or smtps://';
  const misplaced = faultIn(url);
  if (misplaced) return misplaced;
  const implicitTls = url.protocol === 'smtps:';
  const auth = credentialsOf(url);
  if (typeof auth === 'string') return auth;
  const tls = (url.searchParams.get('tls') ?? (auth?.pass ? 'require' : 'opportunistic')) as TlsPolicy;
  if (!TLS_POLICIES.includes(tls)) return `has tls=${tls}; allowed are ${TLS_POLICIES.join(', ')}`;
  const host = hostOf(url);
  if (implicitTls && tls === 'off') return 'asks for TLS (smtps) and for tls=off';
  if (auth?.pass && tls === 'opportunistic') return 'has a password: tls must be require (or off on loopback)';
  if (auth?.pass && tls === 'off' && !isLoopback(host)) return 'would send a password unencrypted to another machine';
  const port = url.port ? Number(url.port) : implicitTls ? IMPLICIT_TLS_PORT : 25;
  // Otherwise client and server would each wait for the other to speak first.
  if (port === IMPLICIT_TLS_PORT && !implicitTls && !isLoopback(host)) return 'must begin with smtps:// for port 465';
  return { host, port, implicitTls, tls, auth };
}
