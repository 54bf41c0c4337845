import type { IncomingMessage } from 'node:http';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';

/** Headers that must not be repeated: Node uses the first one, a proxy may have used the last (RFC 9112 3.2: a second Host is a 400). */
const UNREPEATABLE_HEADERS = ['host', 'content-type', 'authorization'];

function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i]!;
    const index = UNREPEATABLE_HEADERS.findIndex(
      (name) => name.length === written.length && name === written.toLowerCase(),
    );
    if (index < 0) continue;
    const bit = 1 << index;
    if (seen & bit) return UNREPEATABLE_HEADERS[index];
    seen |= bit;
  }
  return undefined;
}

/** With neither a length nor a transfer coding there is no body (RFC 9112, 6.3), whatever content type the client names. */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/** Refuses a head that proxies in front of us may have read in another way. */
export function refuseHead(request: FastifyRequest): Problem | undefined {
  const twice = repeatedHeader(request.raw);
  if (twice !== undefined) return new Problem('request_malformed', `The header ${twice} is present more than once.`);
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    return new Problem('request_malformed', 'The header host is missing.');
  }
  // Node undoes the chunks alone, and the body would still be compressed (RFC 9112, 6.1).
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return new Problem('request_malformed', 'The body has a Transfer-Encoding other than chunked.');
  }
  return undefined;
}

/** Refuses a body by its headers, without reading it. */
export function refuseBody({ headers }: FastifyRequest): Problem | undefined {
  const { 'content-encoding': encoding, 'content-type': type } = headers;
  if (encoding !== undefined) {
    return new Problem('content_encoding_unsupported', 'The body has a Content-Encoding.');
  }
  const charset = type?.includes(';') && /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    return new Problem('body_not_utf8', 'The charset of the body must be UTF-8.');
  }
  return undefined;
}
