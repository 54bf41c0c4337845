import { maxHeaderSize, type IncomingMessage, type Server } from 'node:http';
import { Server as Listener, Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { within } from '@lettermill/concurrency';
import { readJson } from '@lettermill/contract';
import { newUuid } from '@lettermill/events';
import { Problem } from '@lettermill/problems';
import type { FastifyHttpOptions, FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../logging/logger';
import { httpSeconds } from '../metrics/metrics';
import { traceHttp } from '../tracing/http.spans';
import { AllowedMethods } from './allowed.methods';
import { admitBody, isShort, type BodyRequest } from './body.admission';
import { BodyRoom } from './body.room';
import { boundConnections, limitsOfProcess, mostConnections } from './connection.bound';
import { Draining } from './draining';
import { unavailableFor } from './problem.filter';
import { asksForBodies, dropsUnanswerable, endConnection } from './pipelined';
import { refuseConnection, refuseTunnel } from './raw.refusals';
import { readableTarget, refuseAddress } from './request.address';
import { hasNoBody, refuseBody, refuseHead } from './request.head';

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
/** Longer than what stands in front keeps an idle connection, at most 600 s: a call must not meet one that is just being closed. */
const IDLE_MS = 620_000;
/** An answer of which the client takes nothing for so long is given up: until then it lies in memory. No call takes as long to be answered. */
const UNREAD_MS = 120_000;
/** While a server closes. */
const LOOK_MS = 50;

/** Probes would drown the rest. */
const QUIET = /^\/(health|metrics)/;

export interface HttpOptions {
  service: string;
  /** Of the process; its lines are given the service's name. */
  logger: Logger;
  maxBodyBytes: number;
  /** Only our own gateway calls here: its `x-request-id` is believed, and its log line tells of the request. */
  behindGateway: boolean;
  /** Others are in the same process: what Nest itself says is of none of them. */
  shared?: boolean;
}

/** What our gateway forwards has its path twice in the head, the second time signed and in base64; escapes make it three times as long. */
const FORWARDED_HEAD = 8 * maxHeaderSize;

export function httpAdapter(options: HttpOptions): FastifyAdapter {
  return new FastifyAdapter({
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return options.behindGateway && typeof given === 'string' ? given : newUuid();
    },
    logger: false,
    bodyLimit: options.maxBodyBytes,
    requestTimeout: REQUEST_MS,
    connectionTimeout: UNREAD_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    skipMiddie: true,
    // `refuseAddress` judges the length, behind the key.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    http: {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
      ...(options.behindGateway && { maxHeaderSize: FORWARDED_HEAD }),
    },
    rewriteUrl: readableTarget,
    clientErrorHandler: refuseConnection,
  } as FastifyHttpOptions<Server> & { skipMiddie: boolean });
}

function acceptsJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: BodyRequest, body: Buffer, done) => {
      request.rawBody = body;
      const parse = () => {
        const read = readJson(body);
        if ('value' in read) done(null, read.value);
        else done(new Problem(read.code, read.detail));
      };
      const waited = request.bodyInHand?.parse(body);
      if (waited) waited.then(parse, done);
      else parse();
    },
  );
  fastify.addContentTypeParser('*', (_request, _payload, done) => {
    done(new Problem('content_type_unsupported', 'Send the body as application/json.'));
  });
}

/** A call that the process makes to itself comes through no socket. */
export const isOwn = ({ raw }: FastifyRequest): boolean => !(raw.socket instanceof Socket);

/** Parsers, refusals, one log line and one measurement per request: the same for every service. Hooks run in the order in which they are added. */
export function furnishHttp(app: NestFastifyApplication, options: HttpOptions): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const methods = new AllowedMethods();
  fastify.addHook('onRoute', ({ method, url }) => methods.add(method, url));
  acceptsJsonOnly(fastify);
  answersOddConnections(fastify, methods);
  boundConnections(fastify.server, mostConnections(limitsOfProcess()), options.logger);
  dropsUnanswerable(fastify);
  traceHttp(fastify, options.service);
  const draining = app.get(Draining);
  const room = new BodyRoom({ maxBodyBytes: options.maxBodyBytes, wholeMs: REQUEST_MS, service: options.service });
  draining.onBegin(() => room.end());
  judgesHeads(fastify, draining);
  judgesBodies(fastify, methods, room);
  tellsOfRequests(fastify, options);
}

/** What Node would answer in a form of its own, or not at all. */
function answersOddConnections({ server }: FastifyInstance, methods: AllowedMethods): void {
  // Node would answer 417; whoever expects what we do not know is answered as if it did not (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  asksForBodies(server);
  // Whoever has nothing more to say may still listen (half-closed, RFC 9293, 3.6); Node would hang up on a call that was taken.
  // Of more than 2000 headers Node would drop the others without a word, an Idempotency-Key among them; the size of the head bounds them.
  Object.assign(server, { httpAllowHalfOpen: true, maxHeadersCount: 0 });
  // It would be closed without an answer.
  server.on('connect', (_request, socket: Socket) => refuseTunnel(socket, methods.all()));
}

function judgesHeads(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-content-type-options', 'nosniff');
    if (draining.active) endConnection(request, reply);
    const unreadable = refuseHead(request);
    if (hasNoBody(request.raw)) delete request.raw.headers['content-type'];
    done(unreadable);
  });
}

/** After the key, and before the body is looked at: what is wrong with it does not matter at an address that takes none. */
function judgesBodies(fastify: FastifyInstance, methods: AllowedMethods, room: BodyRoom): void {
  fastify.addHook('preParsing', (request, reply, body, done) => {
    const unreachable = refuseAddress(request, methods);
    if (unreachable || request.is404) return done(unreachable);
    const refused = refuseBody(request);
    if (refused || isShort(request.raw)) return done(refused);
    return admitBody(room, request, reply, body as IncomingMessage, done);
  });
}

function tellsOfRequests(fastify: FastifyInstance, { service, logger, behindGateway }: HttpOptions): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime;
    const route = request.routeOptions.url ?? 'none';
    const { statusCode: status } = reply;
    httpSeconds.of(service, request.method, route, status).observe(ms / 1000);
    const line = { request_id: request.id, method: request.method, route, status, ms: Math.round(ms) };
    if (status >= 500) logger.error({ ...line, cause: unavailableFor(request) }, 'request');
    else if (behindGateway || status === 304 || QUIET.test(route) || isOwn(request)) logger.debug(line, 'request');
    else logger.info(line, 'request');
    done();
  });
}

/** Requests already begun are answered within this; whoever is slower is cut off (docs/operating.md, start and stop). */
export const GRACE_MS = 5_000;

/** A call may be on its way on a connection that asks nothing: so long it is still answered, as the last one there. */
const ON_THE_WAY_MS = 500;

/** Answers what is begun, takes nothing new; whoever is slower than `ms` is cut off. */
export async function closeHttp(app: NestFastifyApplication, ms: number, onTheWayMs = ON_THE_WAY_MS): Promise<void> {
  const server = app.getHttpServer() as unknown as Server;
  const timer = setTimeout(() => server.closeAllConnections(), ms);
  await stopListening(server, Math.min(ms, onTheWayMs));
  // Those that are answered meanwhile may be kept by the client, and are idle from then on.
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS);
  await app.close();
  clearTimeout(timer);
  clearInterval(idle);
}

/** Until nobody is connected any more, `ms` at most. A server of HTTP would hang up on who asks nothing, and reset what is on its way. */
async function stopListening(server: Server, ms: number): Promise<void> {
  if (!server.listening) return;
  await within(ms, new Promise((resolve) => Listener.prototype.close.call(server, resolve)));
}
