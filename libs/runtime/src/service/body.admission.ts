import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SHORT_BYTES, UNCOUNTED_BYTES, type BodyInHand } from './body.in.hand';
import type { BodyRoom } from './body.room';
import { Pieces } from './pieces';

/** The body as it came, beside its parsed form; what is forwarded goes on unchanged. */
export type BodyRequest = FastifyRequest & {
  rawBody?: Buffer;
  /** Undefined where the whole body is short. Of a form, whoever reads it counts what is kept in memory. */
  bodyInHand?: BodyInHand;
};

type Done = (error?: Error | null, payload?: Readable) => void;

const FORM = /^multipart\/form-data\b/i;

/** Most bodies: they are not counted, and cost a look at two headers. */
export function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > SHORT_BYTES);
}

/** Lets a body in when there is room for it; nothing of it is read before. */
export function admitBody(
  room: BodyRoom,
  request: BodyRequest,
  reply: FastifyReply,
  payload: IncomingMessage,
  done: Done,
) {
  const { headers, routeOptions } = request;
  const most = routeOptions.bodyLimit!;
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : undefined;
  // It is refused by its length alone.
  if (length !== undefined && length > most) return done();
  const body = room.body(length ?? most);
  const isCounted = length === undefined || length > UNCOUNTED_BYTES;
  // One that is not counted holds no room while it comes.
  const unwatch = isCounted ? room.watch(body, payload, length) : undefined;
  reply.raw.once('close', () => body.leave());
  beforeEnd(reply.raw, () => {
    unwatch?.();
    payload.unpipe();
    body.end();
  });
  request.bodyInHand = body;
  if (!isCounted || FORM.test(headers['content-type'] ?? '')) done();
  else if (length === undefined) done(null, counted(payload, body));
  else body.reserve(length).then(() => done(), done);
}

/** Whoever handles the request answers in the end, though it be to nobody: `close` may come while the body is still in use. */
function beforeEnd(response: ServerResponse, then: () => void): void {
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.end = (...given: unknown[]) => {
    then();
    return end(...given);
  };
}

/** A body of unknown length, stopped wherever there is no room for more of it. */
function counted(payload: Readable, body: BodyInHand): Readable {
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
      body.whole();
      next(null, pieces.join());
    },
  });
  payload.once('error', (error) => through.destroy(error));
  return payload.pipe(through);
}
