import { Duplex } from 'node:stream';
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { mendDriver } from './mongo.mended';

/** A socket that seems to take what is written, and passes none of it on. */
function stuckSocket(): Duplex {
  const socket = new Duplex({ highWaterMark: 1, read: () => {}, write: () => {} });
  return Object.assign(socket, { setTimeout: () => socket });
}

const connectionOn = (socket: Duplex) =>
  new Connection(socket, {
    hostAddress: { toString: () => 'a server' },
    id: 1,
    generation: 0,
    logicalSessionTimeout: 0,
  });
const PLAIN = { agreedCompressor: 'none' };
const command = { toBin: () => Promise.resolve([new Uint8Array(100)]) };
const outcome = (writing: Promise<void>) =>
  writing.then(
    () => 'written',
    (error: Error) => error.name,
  );

describe('a command that the socket has not fully taken', () => {
  beforeAll(() => mendDriver());

  it('fails when the socket closes without an error', async () => {
    const socket = stuckSocket();
    const writing = outcome(connectionOn(socket).writeCommand(command, PLAIN));
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    expect(await writing).toBe('MongoNetworkError');
  });

  it('fails when the connection was closed before the command was written', async () => {
    const socket = stuckSocket();
    const connection = connectionOn(socket);
    socket.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.closed).toBe(true);
    expect(await outcome(connection.writeCommand(command, PLAIN))).toBe('MongoNetworkError');
  });

  it('is written when the socket drains; other connections do not matter, and mending twice changes nothing', async () => {
    await mendDriver();
    const [socket, other] = [stuckSocket(), stuckSocket()];
    const writing = outcome(connectionOn(socket).writeCommand(command, PLAIN));
    const beside = outcome(connectionOn(other).writeCommand(command, PLAIN));
    await new Promise((resolve) => setImmediate(resolve));
    other.destroy();
    expect(await beside).toBe('MongoNetworkError');
    socket.emit('drain');
    expect(await writing).toBe('written');
  });
});
