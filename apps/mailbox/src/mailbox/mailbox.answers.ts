import { createHash } from 'node:crypto';
import { Problem } from '@lettermill/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAILS_KEPT } from './mailbox.store';

/** Of what is data, never a page: it may not do or load anything, wherever it is opened. */
export const DATA_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

/**
 * Every answer of the mailbox: judged as declared, read by its own page only, and telling nobody where a link was
 * clicked.
 */
export function guarded(reply: FastifyReply, policy: string, cacheControl = 'no-store'): FastifyReply {
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

/** Sets the ETag; when the caller has this version already, answers 304 and tells so (RFC 9110, 13.1.2). */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  void reply.header('etag', `"${tag}"`);
  if (!known.includes(`"${tag}"`)) return false;
  void reply.code(304);
  return true;
}

export function noSuchMail(): Problem {
  return new Problem(
    'not_found',
    `There is no such mail. It may have been removed: only the newest ${MAILS_KEPT} are kept, 512 MiB at most.`,
  );
}

/** `?limit=` as a number; all when it is not given. */
export function readLimit(limit: string | undefined): number | undefined {
  if (limit === undefined) return undefined;
  const value = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (value >= 1 && value <= MAILS_KEPT) return value;
  throw new Problem('request_malformed', `limit must be a whole number from 1 to ${MAILS_KEPT}.`);
}
