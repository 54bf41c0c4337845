import type { Connection, WriteOptions } from 'mongodb/lib/cmap/connection.js';

type Write = Connection['writeCommand'];

const patchedWrites = new WeakSet<Write>();
const closeSignals = new WeakMap<Connection, AbortSignal>();

/**
 * When a socket closes without an error before it has taken all of a command, as when the server is killed, mongodb 7
 * waits for it without end: the call never settles, so nobody retries it. Here it ends with the connection.
 */
export async function mendDriver(): Promise<void> {
  const { Connection } = await import('mongodb/lib/cmap/connection.js');
  const write = Connection.prototype.writeCommand;
  if (patchedWrites.has(write)) return;
  const writeUntilClosed: Write = function (this: Connection, command, options) {
    return write.call(this, command, options.signal ? options : withCloseSignal(options, this));
  };
  patchedWrites.add(writeUntilClosed);
  Connection.prototype.writeCommand = writeUntilClosed;
}

function withCloseSignal(options: WriteOptions, connection: Connection): WriteOptions {
  let signal = closeSignals.get(connection);
  if (!signal) {
    const controller = new AbortController();
    const end = () => controller.abort(connection.error ?? new Error('the connection is closed'));
    if (connection.closed) end();
    else connection.once('close', end);
    closeSignals.set(connection, (signal = controller.signal));
  }
  return { ...options, signal };
}
