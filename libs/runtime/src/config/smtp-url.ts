/** When TLS is used towards the next hop (design 6). */
export type TlsPolicy = 'opportunistic' | 'require' | 'off';

export interface NextHop {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps:`). */
  implicitTls: boolean;
  tls: TlsPolicy;
  auth: { user: string; pass: string } | null;
}

const POLICIES: TlsPolicy[] = ['opportunistic', 'require', 'off'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Of a password with such a character this is what goes wrong. */
const ENCODED = 'in user and password / is written %2F, ? is %3F, # is %23, @ is %40 and % is %25';

function credentialsOf({ username, password }: URL): NextHop['auth'] | string {
  if (!username) return null;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return `has a % that stands for nothing; ${ENCODED}`;
  }
}

/** `smtp[s]://user:pass@host:port?tls=…`; answers the hop, or what is wrong with the text. */
export function parseSmtpUrl(text: string): NextHop | string {
  if (!URL.canParse(text)) return `is not a URL; ${ENCODED}`;
  const url = new URL(text);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') return 'must begin with smtp:// or smtps://';
  if (!url.hostname) return 'names no host';
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'tls');
  if (unknown) return `has the unknown option «${unknown}»`;
  const implicitTls = url.protocol === 'smtps:';
  const auth = credentialsOf(url);
  if (typeof auth === 'string') return auth;
  const tls = (url.searchParams.get('tls') ?? (auth ? 'require' : 'opportunistic')) as TlsPolicy;
  if (!POLICIES.includes(tls)) return `has tls=${tls}; allowed are ${POLICIES.join(', ')}`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (implicitTls && tls === 'off') return 'asks for TLS (smtps) and for tls=off';
  if (auth && tls === 'opportunistic') return 'holds a password: tls must be require (or off on loopback)';
  if (auth && tls === 'off' && !isLoopback(host)) return 'would send a password in the clear to another machine';
  return { host, port: url.port ? Number(url.port) : implicitTls ? 465 : 25, implicitTls, tls, auth };
}
