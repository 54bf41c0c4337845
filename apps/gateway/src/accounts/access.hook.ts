import { Problem } from '@lettermill/problems';
import { isOwnCall, type AccountRequest } from '@lettermill/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey, keyProblem, UNKNOWN_KEY } from './api.key';
import type { KeyRing } from './key.ring';
import type { Allowance, RateLimit } from './rate.limit';

const PROTECTED_PREFIX = '/v2/';
/**
 * Body limit of routes that need no key: the largest body there, what a mail program posts to an unsubscribe link (RFC 8058, 3.2), is a few
 * bytes.
 */
const MAX_KEYLESS_BODY_BYTES = 4096;

/**
 * Checks key and rate limit before any byte of the body is read, so that nobody without a key can make the gateway read 32 MiB. Routes that
 * need no key take only small bodies. Every path under /v2 is protected, even one that does not exist. Where a route matches, its URL
 * decides, however the request writes the path. Requests that the process makes to itself do not count against the account's limit.
 */
export function guardAccess(fastify: FastifyInstance, keys: KeyRing, rate: RateLimit): void {
  fastify.addHook('onRoute', (route) => {
    if (!route.url.startsWith(PROTECTED_PREFIX)) route.bodyLimit = MAX_KEYLESS_BODY_BYTES;
  });
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (!(request.routeOptions.url ?? request.url).startsWith(PROTECTED_PREFIX)) return done();
    const key = keys.keyOf(request.headers.authorization, request.raw.socket);
    if (!key) return done(noKey(request.headers.authorization));
    const { accountId, id: keyId } = key;
    Object.assign(request as AccountRequest, { accountId, keyId });
    if (isOwnCall(request)) return done();
    const goOn = ({ allowed, headers }: Allowance) => {
      void reply.headers(headers);
      done(allowed ? undefined : new Problem('rate_limited', 'The rate limit of this account is used up for now.'));
    };
    const allowance = rate.take(accountId);
    if (allowance instanceof Promise) allowance.then(goOn, done);
    else goOn(allowance);
  });
}

function noKey(authorization: string | undefined): Problem {
  const given = authorization === undefined ? 'There is no `Authorization` header.' : authorizationFault(authorization);
  return keyProblem(given);
}

function authorizationFault(authorization: string): string {
  if (bearerKey(authorization) === undefined) return '`Authorization` does not have the form `Bearer <API key>`.';
  return UNKNOWN_KEY;
}
