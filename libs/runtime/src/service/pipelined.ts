import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { lingerAfter } from './linger';
import { hasNoBody } from './request.head';

/** The last request that each connection brought. */
const last = new WeakMap<Socket, IncomingMessage>();
/** Connections that end with the answer to their last request. */
const ending = new WeakSet<Socket>();
/** Requests whose client waits to be asked for the body (RFC 9110, 10.1.1). */
const waiting = new WeakMap<IncomingMessage, () => void>();

/**
 * A client may make calls before those in front are answered (RFC 9112, 9.3.2). One behind an answer that ends the connection could never be
 * answered: it is not carried out, and its client may make it again.
 */
export function dropsUnanswerable(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    if (ending.has(socket)) {
      reply.hijack();
      request.raw.resume();
      return;
    }
    last.set(socket, request.raw);
    done();
  });
}

/** A body is asked for when it is about to be read: after the key, and not where its length or type tells that it is not read. */
export function asksForBodies(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const ask = () => {
      if (waiting.delete(request) && !response.headersSent) response.writeContinue();
    };
    waiting.set(request, ask);
    // Nothing is read of these.
    if (hasNoBody(request) || request.method === 'GET' || request.method === 'HEAD') ask();
    else request.once('resume', ask);
    server.emit('request', request, response);
  });
}

/** This answer is to be the last of its connection. */
export function endConnection({ raw }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('connection', 'close');
  ending.add(raw.socket);
}

/**
 * Ends the connection with a refusal where what is left of the body is not worth reading, was never asked for, or may be anything. Not while
 * a call behind it is in hand: then the whole body has come.
 */
export function endAfterRefusal(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  const unread = lingerAfter(raw);
  const ask = waiting.get(raw);
  if (!unread && !ask && reply.getHeader('connection') !== 'close') return;
  const behind = last.get(raw.socket) ?? raw;
  if (behind === raw) return endConnection(request, reply);
  // Node ends the connection, too, unless it was asked for.
  ask?.();
  reply.removeHeader('connection');
}
