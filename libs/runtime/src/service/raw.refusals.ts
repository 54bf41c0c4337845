import { maxHeaderSize, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newUuid } from '@lettermill/events';
import { Problem } from '@lettermill/problems';
import { isLingering, linger } from './linger';

const HEAD_TOO_LARGE = `The request line and headers have more than ${maxHeaderSize} bytes.`;
const NOT_HTTP = 'The request is not well-formed HTTP/1.1.';
const NO_TUNNEL = 'This server does not support CONNECT: it is not a proxy.';

/** Told of each refusal: it has no request that could be logged. */
export type OnRefusal = (refused: { request_id: string; status: number; code: string }) => void;

/** Connections whose refusal waits for the answers before it. */
const waitingSockets = new WeakSet<Socket>();

/** The next answer that the connection owes to a complete request. Node has no public API for it. */
function pendingAnswer(socket: Socket): ServerResponse | undefined {
  const { _httpMessage: next } = socket as { _httpMessage?: ServerResponse | null };
  return next?.req.complete ? next : undefined;
}

/** Answers in our form what Node itself refuses: a broken head, a head or body that never comes. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, onRefusal: OnRefusal): void {
  if (isLingering(socket) || waitingSockets.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const first = pendingAnswer(socket);
  if (first) {
    // Otherwise the client would take this refusal for the answer to a call that was accepted.
    waitingSockets.add(socket);
    first.once('finish', () => {
      waitingSockets.delete(socket);
      if (socket.writable) refuseConnection(error, socket, onRefusal);
    });
    return;
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const problem = late
    ? new Problem('request_timeout', 'The request did not arrive in time.')
    : new Problem('request_malformed', error.code === 'HPE_HEADER_OVERFLOW' ? HEAD_TOO_LARGE : NOT_HTTP);
  writeRefusal(socket, problem, onRefusal);
}

/** Refuses CONNECT. Node hands over the bare socket, which nothing else takes care of. */
export function refuseTunnel(socket: Socket, methods: string[], onRefusal: OnRefusal): void {
  socket.on('error', () => socket.destroy());
  writeRefusal(socket, new Problem('method_not_allowed', NO_TUNNEL, [], { allow: methods.join(', ') }), onRefusal);
}

/** Answers without a response object, and lets the client read the answer. */
function writeRefusal(socket: Socket, problem: Problem, onRefusal: OnRefusal): void {
  const requestId = newUuid();
  const body = JSON.stringify(problem.body('/', requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  linger(socket);
  onRefusal({ request_id: requestId, status: problem.status, code: problem.code });
}
