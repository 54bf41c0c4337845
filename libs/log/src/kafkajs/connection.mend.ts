import type { InnerConnection } from 'kafkajs/src/network/connection.js';

const mended = new WeakSet<InnerConnection>();
/** The open connections of this process, and when the other side of each was last heard. Milliseconds. */
const heard = new Map<InnerConnection, number>();

/** Those that are being opened. */
const opening = new WeakMap<InnerConnection, Promise<unknown>>();
/** Of an answer, the length that stands before it. */
const LENGTH_BYTES = 4;

/**
 * kafkajs 2.2.4 goes on with a connection after a request on it had no answer in time: where the other side is gone without a word (a host
 * that lost its power, a firewall that forgot the connection) every further request waits as long, on each connection anew. Here such a
 * connection ends, with all to the same broker on which nothing has come since, and the next request opens another.
 *
 * And of each request that finds a connection closed it opens a socket, of which it keeps the last one: the others are never closed, nor is
 * one that took too long, and what becomes of them is taken for the end of the one that is in use. Here all share one, that is given up as a
 * whole. What had come of an answer when its socket ended it puts before the first answer of the next one; here it is forgotten.
 */
export function mendConnection(connection: InnerConnection): void {
  if (mended.has(connection)) return;
  mended.add(connection);
  const { connect, processData, send } = connection;

  connection.connect = function (this: InnerConnection) {
    let opened = opening.get(this);
    if (!opened) {
      if (this.isConnected()) return Promise.resolve(true);
      opened = open(this, connect).finally(() => opening.delete(this));
      opening.set(this, opened);
    }
    return opened;
  };

  connection.processData = function (this: InnerConnection, data) {
    heard.set(this, performance.now());
    processData.call(this, data);
  };

  connection.send = async function (this: InnerConnection, asked) {
    const sent = performance.now();
    try {
      return await send.call(this, asked);
    } catch (error) {
      if ((error as Error).name === 'KafkaJSRequestTimeoutError') endSilent(this.broker, sent, error as Error);
      throw error;
    }
  };
}

async function open(connection: InnerConnection, connect: InnerConnection['connect']): Promise<unknown> {
  Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  const connected = connect.call(connection);
  const { socket } = connection;
  socket?.once('close', () => {
    if (connection.socket === socket) heard.delete(connection);
  });
  try {
    const answer = await connected;
    heard.set(connection, performance.now());
    return answer;
  } catch (error) {
    socket?.destroy();
    throw error;
  }
}

function endSilent(broker: string, since: number, error: Error): void {
  for (const [connection, at] of heard) {
    if (connection.broker === broker && at <= since) connection.socket?.destroy(error);
  }
}
