import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { Problem } from '@lettermill/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_SHORT_BYTES, MAX_UNCOUNTED_BYTES, type BodyInHand } from './body.in.hand';
import type { BodyRoom } from './body.room';
import { Pieces } from './pieces';

/** Has the body as it came in addition to its parsed form: forwarding sends it unchanged. */
export type BodyRequest = FastifyRequest & {
  rawBody?: Buffer;
  /** The room that the body holds; undefined if the body is short. For a form, its reader counts what it keeps in memory. */
  bodyInHand?: BodyInHand;
};

type Done = (error?: Error | null, payload?: Readable) => void;

/** Whether the body is a form. Its parts are read one by one, and their reader counts what it keeps in memory. */
export function isMultipart({ headers }: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/** True for most bodies. They are not counted, and cost only a look at two headers. */
export function hasShortBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > MAX_SHORT_BYTES);
}

/** Admits a body once there is room for it; none of it is read before. */
export function admitBody(
  room: BodyRoom,
  request: BodyRequest,
  reply: FastifyReply,
  payload: IncomingMessage,
  done: Done,
) {
  // Its client left while its key was checked. Nothing more would happen to it that gave its room back.
  if (payload.destroyed) return done(new Problem('request_malformed', 'The body was cut off.'));
  const { headers, routeOptions } = request;
  const maxBytes = routeOptions.bodyLimit!;
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : undefined;
  // The parser refuses it by its length.
  if (length !== undefined && length > maxBytes) return done();
  const body = room.createBody(length ?? maxBytes);
  const isCounted = length === undefined || length > MAX_UNCOUNTED_BYTES;
  // A body that is not counted holds no room while it arrives.
  const unwatch = isCounted ? room.watch(body, payload, length) : undefined;
  reply.raw.once('close', () => body.stopWaiting());
  beforeEnd(reply.raw, () => {
    unwatch?.();
    payload.unpipe();
    body.end();
  });
  request.bodyInHand = body;
  if (!isCounted || isMultipart(request)) done();
  else if (length === undefined) done(null, countedStream(payload, body));
  else body.reserve(length).then(() => done(), done);
}

/** Calls `then` before the response ends, which handlers always do. The event `close` may come while the body is still in use. */
function beforeEnd(response: ServerResponse, then: () => void): void {
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.end = (...given: unknown[]) => {
    then();
    return end(...given);
  };
}

/** Passes on a body of unknown length, and pauses while there is no room for more of it. */
function countedStream(payload: Readable, body: BodyInHand): Readable {
  const pieces = new Pieces();
  const through = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      pieces.add(chunk);
      const onward = () => (pieces.areEnough ? next(null, pieces.join()) : next());
      const waited = body.add(chunk.length);
      if (waited) waited.then(onward, next);
      else onward();
    },
    flush(next) {
      body.complete();
      next(null, pieces.join());
    },
  });
  payload.once('error', (error) => through.destroy(error));
  return payload.pipe(through);
}
