/** Scheme and host of an absolute request target (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
const ESCAPE = /%[0-9a-f]{2}/gi;
const MALFORMED = /%(?![0-9a-f]{2})/i;
/** Characters that need no escape (RFC 3986, 2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/**
 * The target of a request in the one form that all code here uses: without scheme and host, and without needless escapes
 * (RFC 3986, 6.2.2.2). The router accepts the other forms, too, and code that decides by the path must see the same path as it.
 * A path with a `%` that begins no escape stays as it is, and is refused: `%3%32` would become the escape `%32`.
 */
export function requestTarget(url: string): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const local = url.replace(ORIGIN, '');
  const path = pathOf(local);
  const target = (MALFORMED.test(path) ? path : path.replace(ESCAPE, unescapeUnreserved)) + local.slice(path.length);
  return target.startsWith('/') || target === '*' ? target : `/${target}`;
}

/** Whether every escape in the path is well-formed, and all together decode to UTF-8. */
export function isReadable(target: string): boolean {
  return isDecodable(pathOf(target));
}

/** The same of the query. What reads a query takes others, too, and looks for what nobody asked for. */
export function hasReadableQuery(target: string): boolean {
  const begin = target.indexOf('?');
  return begin < 0 || isDecodable(target.slice(begin));
}

function isDecodable(escaped: string): boolean {
  if (!escaped.includes('%')) return true;
  try {
    decodeURIComponent(escaped);
    return true;
  } catch {
    return false;
  }
}

/** The same target with a path that can be decoded: every `%` becomes plain text. */
export function withoutEscapes(target: string): string {
  const path = pathOf(target);
  return path.replaceAll('%', '%25') + target.slice(path.length);
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function unescapeUnreserved(escape: string): string {
  const character = String.fromCharCode(parseInt(escape.slice(1), 16));
  return UNRESERVED.test(character) ? character : escape;
}
