import type { Connection, WriteOptions } from 'mongodb/lib/cmap/connection.js';

type Write = Connection['writeCommand'];

const mended = new WeakSet<Write>();
const gone = new WeakMap<Connection, AbortSignal>();

/**
 * When a socket closes without an error before it has taken all of a command, as when the server is killed, mongodb 7
 * waits for it without end: the call never settles, so nobody retries it. Here it ends with the connection.
 */
export async function mendDriver(): Promise<void> {
  const { Connection } = await import('mongodb/lib/cmap/connection.js');
  const write = Connection.prototype.writeCommand;
  if (mended.has(write)) return;
  const ending: Write = function (this: Connection, command, options) {
    return write.call(this, command, options.signal ? options : withSignal(options, this));
  };
  mended.add(ending);
  Connection.prototype.writeCommand = ending;
}

function withSignal(options: WriteOptions, connection: Connection): WriteOptions {
  let signal = gone.get(connection);
  if (!signal) {
    const controller = new AbortController();
    const end = () => controller.abort(connection.error ?? new Error('the connection is closed'));
    if (connection.closed) end();
    else connection.once('close', end);
    gone.set(connection, (signal = controller.signal));
  }
  return { ...options, signal };
}
