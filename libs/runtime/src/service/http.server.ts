import { maxHeaderSize, type IncomingMessage, type Server } from 'node:http';
import { Server as Listener, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { waitAtMost } from '@lettermill/concurrency';
import { readJson } from '@lettermill/contract';
import { newUuid } from '@lettermill/events';
import { Problem } from '@lettermill/problems';
import type { FastifyHttpOptions, FastifyInstance, FastifyRequest } from 'fastify';
import { loggerOf, type Logger } from '../logging/logger';
import { QUIET_ROUTES, traceHttp } from '../tracing/http.spans';
import { AllowedMethods } from './allowed.methods';
import { admitBody, hasShortBody, type BodyRequest } from './body.admission';
import { bodyLimitOf } from './body.limit';
import { BodyRoom } from './body.room';
import { limitConnections, readProcessLimits, maxConnections } from './connection.limit';
import { beginServerErrors, countRequest, countUnread, routeOf, timeUploads } from './http.server.metrics';
import { Draining } from '../health/draining';
import type { AccountRequest } from '../internal/internal.guard';
import { causeOfUnavailable, codeOfRefusal } from './problem.filter';
import { askForBodies, dropUnanswerable, endConnection } from './pipelined';
import { refuseConnection, refuseTunnel, type OnRefusal } from './raw.refusals';
import { readableTarget, refuseAddress } from './request.address';
import { hasNoBody, refuseBody, refuseHead } from './request.head';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than proxies keep an idle connection (at most 600 s): a call must not arrive on one that is just being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 620_000;
/** An answer is dropped if the client reads none of it for this long, because it stays in memory. No call takes this long itself. */
const UNREAD_ANSWER_TIMEOUT_MS = 120_000;
/** Interval of closing idle connections while a server closes. */
const CLOSE_IDLE_INTERVAL_MS = 50;

export interface HttpOptions {
  service: string;
  /** The logger of the process; the lines get the name of the service. */
  logger: Logger;
  /** What callers may send; behind the gateway the limit is higher if need be (`bodyLimitOf`). */
  maxBodyBytes: number;
  /** Only our own gateway calls this server: its `x-request-id` is trusted, and the request is logged there. */
  behindGateway: boolean;
  /** Several services share the process: Nest's own lines are logged for none of them. */
  shared?: boolean;
}

/** Calls that our gateway forwards have their path in the head a second time, signed and in base64. Escapes can triple its length. */
const MAX_FORWARDED_HEAD_BYTES = 8 * maxHeaderSize;

export function httpAdapter(options: HttpOptions): FastifyAdapter {
  const onRefusal = logRefusals(options);
  return new FastifyAdapter({
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return options.behindGateway && typeof given === 'string' ? given : newUuid();
    },
    logger: false,
    bodyLimit: bodyLimitOf(options),
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: UNREAD_ANSWER_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    skipMiddie: true,
    // `refuseAddress` checks the length, after the API key was checked.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
      ...(options.behindGateway && { maxHeaderSize: MAX_FORWARDED_HEAD_BYTES }),
    },
    rewriteUrl: readableTarget,
    clientErrorHandler: (error: Error, socket: Socket) => refuseConnection(error, socket, onRefusal),
  } as FastifyHttpOptions<Server> & { skipMiddie: boolean });
}

function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: BodyRequest, body: Buffer, done) => {
      if (body.length === 0) {
        // In chunks, the head does not tell that there is none (`hasNoBody`).
        delete request.raw.headers['content-type'];
        return done(null, undefined);
      }
      request.rawBody = body;
      const parse = () => {
        const read = readJson(body);
        if ('value' in read) done(null, read.value);
        else done(new Problem(read.code, read.detail));
      };
      const waited = request.bodyInHand?.reserveForParsing(body);
      if (waited) waited.then(parse, done);
      else parse();
    },
  );
  fastify.addContentTypeParser('*', (_request, _payload, done) => {
    done(new Problem('content_type_unsupported', 'Send the body as application/json.'));
  });
}

/** Whether the process itself makes the call; such a call has no socket. */
export const isOwnCall = ({ raw }: FastifyRequest): boolean => !(raw.socket instanceof Socket);

/** Adds parsers, refusals, a log line and a measurement per request, the same for every service. Hooks run in the order of addition. */
export function configureHttp(app: NestFastifyApplication, options: HttpOptions): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const methods = new AllowedMethods();
  fastify.addHook('onRoute', ({ method, url }) => methods.add(method, url));
  acceptJsonOnly(fastify);
  handleOddConnections(fastify, methods, logRefusals(options));
  limitConnections(fastify.server, maxConnections(readProcessLimits()), options.logger);
  dropUnanswerable(fastify);
  traceHttp(fastify, options.service);
  const draining = app.get(Draining);
  const room = new BodyRoom({
    maxBodyBytes: bodyLimitOf(options),
    wholeMs: REQUEST_TIMEOUT_MS,
    service: options.service,
  });
  draining.onBegin(() => room.refuseWaiting());
  checkHeads(fastify, draining);
  checkBodies(fastify, methods, room);
  logRequests(fastify, options);
}

/** Handles what Node would answer in its own form, or not at all. */
function handleOddConnections({ server }: FastifyInstance, methods: AllowedMethods, onRefusal: OnRefusal): void {
  // Node would answer 417. An unknown expectation is ignored instead (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  askForBodies(server);
  // A client that has closed its sending side may still read (half-closed, RFC 9293, 3.6); Node would drop a call that was accepted.
  // Node would silently drop headers beyond 2000, perhaps the Idempotency-Key; the size of the head limits their number anyway.
  Object.assign(server, { httpAllowHalfOpen: true, maxHeadersCount: 0 });
  // Node would close it without an answer.
  server.on('connect', (_request, socket: Socket) => refuseTunnel(socket, methods.all(), onRefusal));
}

function checkHeads(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // What is answered is about persons, or about this moment; pages and files say themselves how long they may be kept.
    void reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    if (draining.active) endConnection(request, reply);
    const unreadable = refuseHead(request);
    if (hasNoBody(request.raw)) delete request.raw.headers['content-type'];
    done(unreadable);
  });
}

/** Runs after the API key was checked and before the body is read. The address comes first: if it is wrong, the body does not matter. */
function checkBodies(fastify: FastifyInstance, methods: AllowedMethods, room: BodyRoom): void {
  fastify.addHook('preParsing', (request, reply, body, done) => {
    const unreachable = refuseAddress(request, methods);
    if (unreachable || request.is404) return done(unreachable);
    const refused = refuseBody(request);
    if (refused || hasShortBody(request.raw)) return done(refused);
    return admitBody(room, request, reply, body as IncomingMessage, done);
  });
}

/** The time of a line includes the upload of the body, that of the metric does not. */
function logRequests(fastify: FastifyInstance, { service, logger, behindGateway }: HttpOptions): void {
  beginServerErrors(service);
  timeUploads(fastify);
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = routeOf(request);
    const { statusCode: status } = reply;
    const { keyId: key_id } = request as AccountRequest;
    const code = codeOfRefusal(request);
    countRequest(service, request, reply, code);
    const ms = Math.round(reply.elapsedTime);
    const line = { request_id: request.id, key_id, method: request.method, route, status, code, ms };
    if (status >= 500) logger.error({ ...line, cause: causeOfUnavailable(request) }, 'request');
    else if (behindGateway || status === 304 || QUIET_ROUTES.test(route) || isOwnCall(request))
      logger.debug(line, 'request');
    else logger.info(line, 'request');
    done();
  });
}

/** What is refused unread has no route, and its code says why. */
function logRefusals({ service, logger, behindGateway }: HttpOptions): OnRefusal {
  const named = loggerOf(service, logger);
  return (refused) => {
    countUnread(service, refused.status);
    named[behindGateway ? 'debug' : 'info'](refused, 'request');
  };
}

/** Time to answer the requests in progress; slower ones are cut off (docs/operating.md, start and stop). */
export const SHUTDOWN_GRACE_MS = 5_000;

/** A call may already be on its way on an idle connection: for this long it is still answered, as the last one of that connection. */
const IN_FLIGHT_MS = 500;

/** Answers the requests in progress and accepts no new ones; what takes longer than `ms` is cut off. */
export async function closeHttp(app: NestFastifyApplication, ms: number, inFlightMs = IN_FLIGHT_MS): Promise<void> {
  const server = app.getHttpServer() as unknown as Server;
  const timer = setTimeout(() => server.closeAllConnections(), ms);
  await stopListening(server, Math.min(ms, inFlightMs));
  // Clients may keep connections open that were answered meanwhile; those are idle from then on.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
  await app.close();
  clearTimeout(timer);
  clearInterval(idle);
}

/** Stops listening, and waits at most `ms` until all have disconnected. An HTTP server's `close` would reset calls on idle connections. */
async function stopListening(server: Server, ms: number): Promise<void> {
  if (!server.listening) return;
  await acceptWaiting(server, ms);
  await waitAtMost(ms, new Promise((resolve) => Listener.prototype.close.call(server, resolve)));
}

/**
 * Accepts the connections that are waiting: closing the listener would reset them, though their calls may have been sent long ago. A turn
 * of the event loop accepts one, so none is left after a turn that accepts none. Waits at most `ms`.
 */
async function acceptWaiting(server: Server, ms: number): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  server.on('connection', count);
  const end = performance.now() + ms;
  // This turn may have looked for connections already.
  await turn();
  for (let before = -1; before !== accepted && performance.now() < end;) {
    before = accepted;
    await turn();
  }
  server.off('connection', count);
}
