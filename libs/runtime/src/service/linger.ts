import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A body of so many bytes arrives anyhow: the connection can be used again after it. */
const SMALL_BYTES = 64 * 1024;
/** What a client is still allowed to send after its answer; then it is cut off. */
const LINGER_BYTES = 128 * 1024 * 1024;
const LINGER_MS = 10_000;
/** Nothing came for so long: it waits for us. */
const IDLE_MS = 2_000;
const LOOK_MS = 100;

const lingering = new WeakSet<Socket>();

/** It was answered and its side of the connection is over: what still comes is of no interest. */
export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}

/** How much of the body is to come at most, as far as the head says it. */
function toCome({ complete, headers }: IncomingMessage): number {
  if (complete) return 0;
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

/**
 * A client that is answered before it has sent all must be able to read the answer (RFC 9112 9.6): a socket that is
 * closed with bytes unread resets the connection, and the answer is lost. So our side ends, what still comes is
 * read and dropped, and then the socket goes. True: the connection is not worth keeping.
 */
export function lingerAfter(request: IncomingMessage): boolean {
  const bytes = toCome(request);
  const { socket } = request;
  if (bytes > 0) socket.destroySoon = () => linger(socket, request);
  return bytes > SMALL_BYTES;
}

/** Ends our side, and the socket when the other side has ended, was idle, or has sent more than it may. */
export function linger(socket: Socket, request?: IncomingMessage): void {
  lingering.add(socket);
  socket.end();
  (request ?? socket).resume();
  const begun = { at: Date.now(), bytes: socket.bytesRead };
  let last = { ...begun };
  const timer = setInterval(() => {
    const now = { at: Date.now(), bytes: socket.bytesRead };
    if (now.bytes > last.bytes) last = now;
    const whole = request?.complete && socket.writableFinished;
    const over = now.at - begun.at > LINGER_MS || now.bytes - begun.bytes > LINGER_BYTES;
    if (whole || over || now.at - last.at > IDLE_MS) socket.destroy();
  }, LOOK_MS);
  socket.once('close', () => clearInterval(timer));
}
