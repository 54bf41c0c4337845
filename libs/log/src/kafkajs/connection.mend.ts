import type { InnerConnection } from 'kafkajs/src/network/connection.js';

const mended = new WeakSet<InnerConnection>();
/** The open connections of this process, and when the other side of each was last heard. Milliseconds. */
const heard = new Map<InnerConnection, number>();

/**
 * kafkajs 2.2.4 goes on with a connection after a request on it had no answer in time: where the other side is gone without a word (a host
 * that lost its power, a firewall that forgot the connection) every further request waits as long, on each connection anew. Here such a
 * connection ends, with all to the same broker on which nothing has come since, and the next request opens another.
 */
export function mendConnection(connection: InnerConnection): void {
  if (mended.has(connection)) return;
  mended.add(connection);
  const { connect, processData, send } = connection;

  connection.connect = async function (this: InnerConnection) {
    const connected = await connect.call(this);
    heard.set(this, performance.now());
    const { socket } = this;
    socket.once('close', () => {
      if (this.socket === socket) heard.delete(this);
    });
    return connected;
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

function endSilent(broker: string, since: number, error: Error): void {
  for (const [connection, at] of heard) {
    if (connection.broker === broker && at <= since) connection.socket.destroy(error);
  }
}
