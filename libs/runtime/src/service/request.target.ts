/** Scheme and host of an absolute request target (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
const ESCAPE = /%[0-9a-f]{2}/gi;
const MALFORMED = /%(?![0-9a-f]{2})/i;
/** What needs no escape (RFC 3986, 2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/**
 * The target of a request in the one form that everything here looks at: from its path on, and with nothing escaped that needs no
 * escape (RFC 3986, 6.2.2.2). A router takes the other forms too: whoever judges by the path must not see another than it does.
 * A path with a `%` that begins no escape stays as it is, and is refused: `%3%32` would become an escape, `%32`.
 */
export function requestTarget(url: string): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const local = url.replace(ORIGIN, '');
  const path = pathOf(local);
  const target = (MALFORMED.test(path) ? path : path.replace(ESCAPE, unescapeUnreserved)) + local.slice(path.length);
  return target.startsWith('/') || target === '*' ? target : `/${target}`;
}

/** Whether every escape in the path is one, and all together are UTF-8. */
export function isReadable(target: string): boolean {
  if (!target.includes('%')) return true;
  try {
    decodeURIComponent(pathOf(target));
    return true;
  } catch {
    return false;
  }
}

/** The same with a path that can be read: what is an escape in it, broken or not, is plain text. */
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
