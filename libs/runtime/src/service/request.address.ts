import type { IncomingMessage } from 'node:http';
import { Problem } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed.methods';
import { isReadable, requestTarget, withoutEscapes } from './request.target';

const NOTHING_HERE = 'There is nothing at this path.';
const NOTHING_BEHIND_SLASH = 'There is nothing at this path. Remove the slash at its end.';
const BROKEN_ESCAPE = 'An escape in the path is malformed, or is not UTF-8.';

/** Most characters of one part of a path, after decoding. */
const MAX_PART_LENGTH = 1000;
const PART_TOO_LONG = `A part of the path has more than ${MAX_PART_LENGTH} characters.`;

const unreadableRequests = new WeakSet<IncomingMessage>();

/** The target to route. The router would answer a path that it cannot decode before any hook runs, even the one that checks the key. */
export function readableTarget(request: IncomingMessage): string {
  const target = requestTarget(request.url ?? '/');
  if (isReadable(target)) return target;
  unreadableRequests.add(request);
  return withoutEscapes(target);
}

/** Why the address of a call is wrong: it cannot be decoded, nothing is there, or it does not support the method. */
export function refuseAddress(request: FastifyRequest, methods: AllowedMethods): Problem | undefined {
  if (unreadableRequests.has(request.raw)) return new Problem('request_malformed', BROKEN_ESCAPE);
  const parts = pathParameters(request);
  if (parts.some(({ length }) => length > MAX_PART_LENGTH)) return new Problem('request_malformed', PART_TOO_LONG);
  return request.is404 || parts.includes('') ? unreachableProblem(request, methods) : undefined;
}

/** The values of the route's parameters. For `/v2/campaigns/` the last one is empty. */
function pathParameters({ params }: FastifyRequest): string[] {
  const parts: string[] = [];
  for (const name in params as Record<string, string>) {
    if (name !== '*') parts.push((params as Record<string, string>)[name]!);
  }
  return parts;
}

function unreachableProblem({ url, method }: FastifyRequest, methods: AllowedMethods): Problem | undefined {
  const path = url.split('?')[0]!;
  const allowed = methods.of(path);
  if (allowed.length === 0) {
    const slash = path.endsWith('/') && methods.of(path.slice(0, -1)).length > 0;
    return new Problem('not_found', slash ? NOTHING_BEHIND_SLASH : NOTHING_HERE);
  }
  if (allowed.includes(method)) return undefined;
  const headers = { allow: allowed.join(', ') };
  return new Problem('method_not_allowed', `This path does not support ${method}.`, [], headers);
}
