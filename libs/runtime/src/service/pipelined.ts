import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { lingerAfter } from './linger';
import { hasNoBody } from './request.head';

/** The latest request of each connection. */
const latestRequests = new WeakMap<Socket, IncomingMessage>();
/** Connections that end with the answer to their last request. */
const endingSockets = new WeakSet<Socket>();
/** Requests whose client waits to be asked for the body (RFC 9110, 10.1.1). */
const awaitingContinue = new WeakMap<IncomingMessage, () => void>();

/**
 * A client may send calls before earlier ones are answered (RFC 9112, 9.3.2). A call after an answer that ends the connection could never
 * be answered, so it is not carried out; the client can repeat it.
 */
export function dropUnanswerable(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    if (endingSockets.has(socket)) {
      reply.hijack();
      request.raw.resume();
      return;
    }
    latestRequests.set(socket, request.raw);
    done();
  });
}

/** Sends 100 Continue only when the body is about to be read: after the key was checked, and not if its length or type is refused. */
export function askForBodies(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const ask = () => {
      if (awaitingContinue.delete(request) && !response.headersSent) response.writeContinue();
    };
    awaitingContinue.set(request, ask);
    // Their bodies are never read.
    if (hasNoBody(request) || request.method === 'GET' || request.method === 'HEAD') ask();
    else request.once('resume', ask);
    server.emit('request', request, response);
  });
}

/** Makes this answer the last one of its connection. */
export function endConnection({ raw }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('connection', 'close');
  endingSockets.add(raw.socket);
}

/**
 * Ends the connection after a refusal if the rest of the body is not worth reading, was never asked for, or may be anything. Not while a
 * later call of the connection is in progress: in that case the whole body has arrived.
 */
export function endAfterRefusal(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  const unread = lingerAfter(raw);
  const ask = awaitingContinue.get(raw);
  if (!unread && !ask && reply.getHeader('connection') !== 'close') return;
  const behind = latestRequests.get(raw.socket) ?? raw;
  if (behind === raw) return endConnection(request, reply);
  // Unless the body is asked for, Node would end the connection, too.
  ask?.();
  reply.removeHeader('connection');
}
