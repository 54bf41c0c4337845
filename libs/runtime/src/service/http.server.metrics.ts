import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { httpSeconds } from '../metrics/metrics';
import { hasNoBody } from './request.head';

/** Method and route of what has none. */
const NONE = 'none';

/** The durations tell the status alone, and some answers of 503 are no fault of the system. */
const serverErrors = new Counter({
  name: 'lettermill_http_server_errors_total',
  help: 'Requests answered with a 5xx, by the code of the problem',
  labelNames: ['service', 'route', 'code'],
});

/** Shorter uploads are not noted: most bodies come along with their head. */
const MIN_UPLOAD_MS = 1;
/** How long a client took to send its body. */
const uploadMs = new WeakMap<IncomingMessage, number>();

/** To be called after all else that a body waits for: its room is ours to give, so waiting for it counts. */
export function timeUploads(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const { raw } = request;
    if (!raw.complete && !hasNoBody(raw)) {
      const begun = reply.elapsedTime;
      raw.once('end', () => {
        const ms = reply.elapsedTime - begun;
        if (ms >= MIN_UPLOAD_MS) uploadMs.set(raw, ms);
      });
    }
    done();
  });
}

/** Begins with a value, because alerts ask for it. */
export function beginServerErrors(service: string): void {
  serverErrors.inc({ service, route: NONE, code: 'internal_error' }, 0);
}

export const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? NONE;

/** Measures a request that was answered, without the time in which its body arrived: that tells of its client. */
export function countRequest(service: string, request: FastifyRequest, reply: FastifyReply, code = NONE): void {
  const { statusCode: status } = reply;
  const route = routeOf(request);
  const ms = reply.elapsedTime - (uploadMs.get(request.raw) ?? 0);
  httpSeconds.labels(service, request.method, route, status).observe(ms / 1000);
  if (status >= 500) serverErrors.inc({ service, route, code });
}

/** Counts what was refused before it was a request; how long it took is not known. */
export function countUnread(service: string, status: number): void {
  httpSeconds.labels(service, NONE, NONE, status).observe(0);
}
