import { once } from 'node:events';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import Connection from 'kafkajs/src/network/connection.js';
import createSocketFactory from 'kafkajs/src/network/socketFactory.js';
import produce from 'kafkajs/src/protocol/requests/produce/index.js';
import { mendConnection } from './connection.mend';

const quiet = { namespace: () => quiet, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const produceRequest = produce.protocol({ version: 7 })({ acks: -1, timeout: 1, producerId: -1, topicData: [] });

const socketFactory = createSocketFactory() as (given: object) => Socket;
const plainResponse = {
  decode: (payload: Buffer) => Promise.resolve({ text: payload.toString() }),
  parse: ({ text }: { text: string }) => Promise.resolve(text),
};

const sockets: Socket[] = [];
let server: Server;
let onSocket: (socket: Socket) => void = () => undefined;
beforeAll(async () => {
  mendConnection(Connection.prototype);
  mendConnection(Connection.prototype);
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined).resume());
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  onSocket = () => undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => void server.close());

const connectionWith = (requestTimeout: number, more: Record<string, unknown> = {}) => {
  const { port } = server.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, logger: quiet, socketFactory, clientId: 'c' };
  return new Connection({ ...options, requestTimeout, connectionTimeout: 20_000, ...more });
};

describe('a connection to a broker that silently went away', () => {
  it('ends with the first request that times out, and can be opened again', async () => {
    const connection = connectionWith(50);
    await connection.connect();
    await expect(connection.send(produceRequest)).rejects.toThrow(/timed out/);
    await once(sockets[0]!, 'close');
    expect(connection.isConnected()).toBe(false);
    await connection.connect();
    expect(connection.isConnected()).toBe(true);
    await connection.disconnect();
  });

  it('ends along with the others to the same broker, except those that received something meanwhile', async () => {
    const [first, silent, lively] = [connectionWith(300), connectionWith(60_000), connectionWith(60_000)];
    for (const connection of [first, silent, lively]) await connection.connect();
    const waiting = silent.send(produceRequest).catch((error: Error) => error.message);
    const timedOut = first.send(produceRequest);
    lively.processData(Buffer.alloc(0));
    await expect(timedOut).rejects.toThrow(/timed out/);
    expect(await waiting).toMatch(/timed out/);
    expect([first, silent, lively].map((connection) => connection.isConnected())).toEqual([false, false, true]);
    await lively.disconnect();
  });

  it('leaves connections to other brokers as they are', async () => {
    const [silent, other] = [connectionWith(50), connectionWith(60_000, { host: 'localhost' })];
    for (const connection of [silent, other]) await connection.connect();
    await expect(silent.send(produceRequest)).rejects.toThrow(/timed out/);
    await once(sockets[0]!, 'close');
    expect(other.isConnected()).toBe(true);
    await other.disconnect();
  });

  it('does not gather listeners on its last socket while it is refused', async () => {
    const gone = connectionWith(1_000, { port: 1 });
    await expect(gone.connect()).rejects.toThrow(/ECONNREFUSED/);
    await once(gone.socket!, 'close');
    for (let times = 0; times < 12; times += 1) await gone.disconnect();
    expect(gone.socket!.listenerCount('connect')).toBeLessThan(5);
  });
});

describe('a reopened connection', () => {
  it('has one socket, however many callers connect at once', async () => {
    const made: Socket[] = [];
    const connection = connectionWith(1_000, {
      socketFactory: (given: object) => made[made.push(socketFactory(given)) - 1],
    });
    await Promise.all(Array.from({ length: 12 }, () => connection.connect()));
    await connection.connect();
    expect(made).toHaveLength(1);
    // Node warns of more than ten listeners.
    expect(made[0]!.listenerCount('close')).toBeLessThan(5);
    await connection.disconnect();
  });

  it('fails all callers when its socket takes too long to connect, and uses a new one for later callers', async () => {
    const given = [new Socket()];
    const connection = connectionWith(1_000, {
      connectionTimeout: 20,
      socketFactory: (asked: object) => given.shift() ?? socketFactory(asked),
    });
    const asked = [connection.connect(), connection.connect()];
    const { socket } = connection;
    for (const one of asked) await expect(one).rejects.toThrow(/timeout/);
    // Otherwise it could still connect, and its end would be taken for that of the next socket.
    expect(socket!.destroyed).toBe(true);
    await connection.connect();
    expect(connection.isConnected()).toBe(true);
    await connection.disconnect();
  });

  it('reports why no socket could be created', async () => {
    const refusing = () => {
      throw new Error('no certificate');
    };
    await expect(connectionWith(1_000, { socketFactory: refusing }).connect()).rejects.toThrow(/no certificate/);
  });

  it('reads nothing of an answer that was cut off on its previous socket', async () => {
    const connection = connectionWith(500);
    const answers = [Buffer.from([0, 0, 1, 0, 0, 0]), answerTo(1)];
    onSocket = (socket) => {
      const bytes = answers.shift()!;
      socket.once('data', () => socket.write(bytes, () => answers.length > 0 && socket.resetAndDestroy()));
    };
    await connection.connect();
    await expect(connection.send(produceRequest)).rejects.toThrow(/Connection error|Closed connection/);
    await connection.connect();
    expect(await connection.send({ ...produceRequest, response: plainResponse })).toBe('well');
    await connection.disconnect();
  });
});

/** The frame of an answer: its length, the id of the request that it answers, and four bytes. */
function answerTo(request: number): Buffer {
  const frame = Buffer.alloc(12, 'well');
  frame.writeInt32BE(8, 0);
  frame.writeInt32BE(request, 4);
  return frame;
}
