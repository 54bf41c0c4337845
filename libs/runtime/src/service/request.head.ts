import type { IncomingMessage } from 'node:http';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';

/** Node takes the first of each; a proxy before it may have taken the last (RFC 9112 3.2: a second Host is a 400). */
const ONCE = ['host', 'content-type', 'authorization'];

function repeated({ rawHeaders }: IncomingMessage): string | undefined {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i]!;
    const index = ONCE.findIndex((name) => name.length === written.length && name === written.toLowerCase());
    if (index < 0) continue;
    const bit = 1 << index;
    if (seen & bit) return ONCE[index];
    seen |= bit;
  }
  return undefined;
}

/** Neither a length nor a coding: there is no body (RFC 9112, 6.3), whatever type a client says that it has. */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/** A head that proxies before us may have read in another way. */
export function refuseHead(request: FastifyRequest): Problem | undefined {
  const twice = repeated(request.raw);
  if (twice !== undefined) return new Problem('request_malformed', `The header ${twice} is present more than once.`);
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    return new Problem('request_malformed', 'The header host is missing.');
  }
  return undefined;
}

/** What tells without a look at it that a body is not read here. */
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
