import { maxHeaderSize, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newUuid } from '@lettermill/events';
import { Problem } from '@lettermill/problems';
import { isLingering, linger } from './linger';

const HEAD_TOO_LARGE = `The request line and headers have more than ${maxHeaderSize} bytes.`;
const NOT_HTTP = 'The request is not well-formed HTTP/1.1.';
const CUT_OFF = 'The body was cut off: the connection was closed before all of it had arrived.';
const BAD_CHUNKS = 'The chunks of the body are malformed (RFC 9112, 7.1).';
const NO_TUNNEL = 'This server does not support CONNECT: it is not a proxy.';

/** Told of each refusal: it has no request that could be logged. */
export type OnRefusal = (refused: { request_id: string; status: number; code: string }) => void;

/** Connections whose refusal waits for the answers before it. */
const waitingSockets = new WeakSet<Socket>();

/** The next answer that the connection owes. Node has no public API for it. */
function nextAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** What is wrong with a request that could not be read. `unfinished` is the one whose body was being read, if it came that far. */
function unreadableProblem({ code }: NodeJS.ErrnoException, unfinished: IncomingMessage | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout', 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('request_malformed', HEAD_TOO_LARGE);
  if (!unfinished) return new Problem('request_malformed', NOT_HTTP);
  return new Problem('request_malformed', code === 'HPE_INVALID_EOF_STATE' ? CUT_OFF : BAD_CHUNKS);
}

/** Answers in our form what Node itself refuses: a broken head, a head or body that never comes. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, onRefusal: OnRefusal): void {
  if (isLingering(socket) || waitingSockets.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const first = nextAnswer(socket);
  if (first?.req.complete) {
    // Otherwise the client would take this refusal for the answer to a call that was accepted.
    waitingSockets.add(socket);
    first.once('finish', () => {
      waitingSockets.delete(socket);
      if (socket.writable) refuseConnection(error, socket, onRefusal);
    });
    return;
  }
  writeRefusal(socket, unreadableProblem(error, first?.req), onRefusal, first?.req.url);
}

/** Refuses CONNECT. Node hands over the bare socket, which nothing else takes care of. */
export function refuseTunnel(socket: Socket, methods: string[], onRefusal: OnRefusal): void {
  socket.on('error', () => socket.destroy());
  writeRefusal(socket, new Problem('method_not_allowed', NO_TUNNEL, [], { allow: methods.join(', ') }), onRefusal);
}

/** Answers without a response object, and lets the client read the answer. */
function writeRefusal(socket: Socket, problem: Problem, onRefusal: OnRefusal, url = '/'): void {
  const requestId = newUuid();
  const body = JSON.stringify(problem.body(url.split('?')[0]!, requestId));
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
