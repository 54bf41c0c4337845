import { createHash } from 'node:crypto';
import { Problem } from '@lettermill/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_MAILS } from './mailbox.store';

/** Policy of answers that are data, not a page: they can neither run nor load anything, wherever they are opened. */
export const DATA_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

/**
 * Headers of every answer of the mailbox: the declared content type counts, only the mailbox's own page may read the answer, and no link
 * reveals where it was clicked.
 */
export function withSecurityHeaders(reply: FastifyReply, policy: string, cacheControl = 'no-store'): FastifyReply {
  return reply.headers({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'x-dns-prefetch-control': 'off',
    'cache-control': cacheControl,
  });
}

export function contentTag(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

/** Sets the ETag. If the caller has this version already, sets 304 and returns true (RFC 9110, 13.1.2). */
export function isNotModified(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  const tags = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  void reply.header('etag', `"${tag}"`);
  if (!tags.includes(`"${tag}"`)) return false;
  void reply.code(304);
  return true;
}

export function noSuchMail(): Problem {
  return new Problem(
    'not_found',
    `There is no such mail. It may have been removed: only the newest ${MAX_MAILS} are kept, 512 MiB at most.`,
  );
}

/** `?limit=` as a number; undefined, which means all, if it is missing. */
export function readLimit(limit: string | undefined): number | undefined {
  if (limit === undefined) return undefined;
  const value = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (value >= 1 && value <= MAX_MAILS) return value;
  throw new Problem('request_malformed', `limit must be a whole number from 1 to ${MAX_MAILS}.`);
}
