import { Problem } from '@lettermill/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { INTERNAL_HEADER, verifyInternal } from './internal.token';

/** The account that the gateway forwards a call for; undefined if the call does not come from the gateway. */
export function forwardedAccountId({ headers, method, url }: FastifyRequest, secret: string | null, now: number) {
  const token = headers[INTERNAL_HEADER];
  if (!secret || typeof token !== 'string') return undefined;
  return verifyInternal(secret, token, { method, path: url }, now);
}

export const notForwardedProblem = () => new Problem('unauthorized', 'This service answers only the gateway.');

/** Refuses bodies that do not come from the gateway before they are read: they may have 32 MiB, and guards run only after reading. */
export function refuseUnforwardedBodies(fastify: FastifyInstance, secret: string | null, now: () => number): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const bodiless = request.method === 'GET' || request.method === 'HEAD';
    done(bodiless || forwardedAccountId(request, secret, now()) ? undefined : notForwardedProblem());
  });
}
