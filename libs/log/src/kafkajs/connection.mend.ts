import type { InnerConnection } from 'kafkajs/src/network/connection.js';

const mended = new WeakSet<InnerConnection>();
/** The open connections of this process, and when data last came on each. Milliseconds of `performance.now()`. */
const lastHeardAt = new Map<InnerConnection, number>();

/** Connections that are being opened. */
const opening = new WeakMap<InnerConnection, Promise<unknown>>();
/** Bytes of the length field before each answer. */
const LENGTH_FIELD_BYTES = 4;

/**
 * kafkajs 2.2.4 keeps using a connection after a request on it timed out: when the other side is gone without a word (a
 * host that lost its power, a firewall that forgot the connection), every further request waits as long, on each
 * connection anew. Here such a connection is closed, with all others to the same broker on which nothing has come
 * since, and the next request opens another.
 *
 * For each request that finds a connection closed, kafkajs opens a socket, of which it keeps only the last: the others
 * are never closed, nor is one that took too long, and when they end it takes that for the end of the socket in use.
 * Here all requests share one socket, which is given up as a whole. kafkajs also puts the part of an answer that had
 * come when its socket ended before the first answer of the next socket; here that part is dropped.
 */
export function mendConnection(connection: InnerConnection): void {
  if (mended.has(connection)) return;
  mended.add(connection);
  const { connect, processData, send } = connection;

  connection.connect = function (this: InnerConnection) {
    let opened = opening.get(this);
    if (!opened) {
      if (this.isConnected()) return Promise.resolve(true);
      opened = openConnection(this, connect).finally(() => opening.delete(this));
      opening.set(this, opened);
    }
    return opened;
  };

  connection.processData = function (this: InnerConnection, data) {
    lastHeardAt.set(this, performance.now());
    processData.call(this, data);
  };

  connection.send = async function (this: InnerConnection, asked) {
    const sent = performance.now();
    try {
      return await send.call(this, asked);
    } catch (error) {
      if ((error as Error).name === 'KafkaJSRequestTimeoutError') destroySilent(this.broker, sent, error as Error);
      throw error;
    }
  };
}

async function openConnection(connection: InnerConnection, connect: InnerConnection['connect']): Promise<unknown> {
  Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_FIELD_BYTES });
  const connected = connect.call(connection);
  const { socket } = connection;
  socket?.once('close', () => {
    if (connection.socket === socket) lastHeardAt.delete(connection);
    // As long as a broker is away, kafkajs disconnects from it again and again. Node adds a listener each time, and in the
    // end warns of a leak.
    socket.unref = () => socket;
  });
  try {
    const answer = await connected;
    lastHeardAt.set(connection, performance.now());
    return answer;
  } catch (error) {
    socket?.destroy();
    throw error;
  }
}

function destroySilent(broker: string, since: number, error: Error): void {
  for (const [connection, at] of lastHeardAt) {
    if (connection.broker === broker && at <= since) connection.socket?.destroy(error);
  }
}
