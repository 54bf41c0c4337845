import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatTraceparent, parseTraceparent } from './traceparent';
import { SPAN_KIND, type OpenSpan } from './span';
import { startSpan, tracingIsOn } from './tracing';

/** Log lines and spans of these would drown all others. */
export const QUIET_ROUTES = /^\/(health|metrics)/;

/**
 * Starts a span for each request. `request.headers.traceparent` becomes that of the span, so that what follows from the request
 * is below it. While traces are off, the caller's own is passed on; an invalid traceparent is dropped.
 */
export function traceHttp(fastify: FastifyInstance, service: string): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    if (!tracingIsOn() && headers.traceparent === undefined) return done();
    const { method, routeOptions } = request;
    const given = headers.traceparent === undefined ? undefined : parseTraceparent(headers.traceparent);
    const parent = given && formatTraceparent(given);
    const route = routeOptions.url ?? 'none';
    const span = QUIET_ROUTES.test(route)
      ? undefined
      : startSpan(service, {
          name: `${method} ${route}`,
          kind: SPAN_KIND.server,
          parent,
          facts: { 'http.request.method': method, 'http.route': route, 'lettermill.request_id': String(request.id) },
        });
    if (span) spans.set(request, span);
    if (span || headers.traceparent !== undefined) headers.traceparent = span?.traceparent ?? parent;
    done();
  });
  fastify.addHook('onResponse', (request, { statusCode }, done) => {
    if (!tracingIsOn()) return done();
    const fault = statusCode >= 500 ? String(statusCode) : undefined;
    spans.get(request)?.end({ 'http.response.status_code': statusCode }, fault);
    done();
  });
}
