import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A body of up to so many bytes arrives anyway; the connection can be used again after it. */
const MAX_SMALL_BODY_BYTES = 64 * 1024;
/** How much, and for how long, a client may still send after its answer. Then it is cut off. */
const MAX_LINGER_BYTES = 128 * 1024 * 1024;
const MAX_LINGER_MS = 10_000;
/** A client that sends nothing for this long waits for us. */
const IDLE_TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 100;

const lingeringSockets = new WeakSet<Socket>();

/** Whether the client was answered and we have closed our side: what still arrives does not matter. */
export function isLingering(socket: Socket): boolean {
  return lingeringSockets.has(socket);
}

/** Upper limit of the bytes of the body, by the head, unless it has all arrived. */
function bytesToCome({ complete, headers }: IncomingMessage): number {
  if (complete) return 0;
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

/**
 * A client that is answered before it has sent everything must be able to read the answer (RFC 9112 9.6): closing a socket
 * with unread bytes resets the connection, and the answer is lost. So we end our side, read and drop what still arrives, and
 * then close the socket. Returns true if the connection is not worth keeping.
 */
export function lingerAfter(request: IncomingMessage): boolean {
  const bytes = bytesToCome(request);
  const { socket } = request;
  if (bytes > 0) socket.destroySoon = () => linger(socket, request);
  return bytes > MAX_SMALL_BODY_BYTES;
}

/** Ends our side, and closes the socket once the other side has ended, is idle, or has sent more than it may. */
export function linger(socket: Socket, request?: IncomingMessage): void {
  lingeringSockets.add(socket);
  socket.end();
  (request ?? socket).resume();
  const begun = { at: Date.now(), bytes: socket.bytesRead };
  let last = { ...begun };
  const timer = setInterval(() => {
    const now = { at: Date.now(), bytes: socket.bytesRead };
    if (now.bytes > last.bytes) last = now;
    const whole = request?.complete && socket.writableFinished;
    const over = now.at - begun.at > MAX_LINGER_MS || now.bytes - begun.bytes > MAX_LINGER_BYTES;
    if (whole || over || now.at - last.at > IDLE_TIMEOUT_MS) socket.destroy();
  }, POLL_INTERVAL_MS);
  socket.once('close', () => clearInterval(timer));
}
