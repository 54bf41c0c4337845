import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import Connection from 'kafkajs/src/network/connection.js';
import createSocketFactory from 'kafkajs/src/network/socketFactory.js';
import produce from 'kafkajs/src/protocol/requests/produce/index.js';
import { mendConnection } from './connection.mend';

const quiet = { namespace: () => quiet, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const asked = produce.protocol({ version: 7 })({ acks: -1, timeout: 1, producerId: -1, topicData: [] });

describe('a connection to a broker that is gone without a word', () => {
  const sockets: Socket[] = [];
  let server: Server;
  beforeAll(async () => {
    mendConnection(Connection.prototype);
    mendConnection(Connection.prototype);
    server = createServer((socket) => void sockets.push(socket.on('error', () => undefined).resume())).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  const to = (requestTimeout: number) => {
    const { port } = server.address() as AddressInfo;
    const options = { host: '127.0.0.1', port, logger: quiet, socketFactory: createSocketFactory(), clientId: 'c' };
    return new Connection({ ...options, requestTimeout, connectionTimeout: 20_000 });
  };

  it('ends with the first request that has no answer in time, and another can be opened', async () => {
    const connection = to(50);
    await connection.connect();
    await expect(connection.send(asked)).rejects.toThrow(/timed out/);
    await once(sockets[0]!, 'close');
    expect(connection.isConnected()).toBe(false);
    await connection.connect();
    expect(connection.isConnected()).toBe(true);
    await connection.disconnect();
  });

  it('ends with the others to the same broker, but for those on which something has come meanwhile', async () => {
    const [first, silent, lively] = [to(300), to(60_000), to(60_000)];
    for (const connection of [first, silent, lively]) await connection.connect();
    const waiting = silent.send(asked).catch((error: Error) => error.message);
    const timedOut = first.send(asked);
    lively.processData(Buffer.alloc(0));
    await expect(timedOut).rejects.toThrow(/timed out/);
    expect(await waiting).toMatch(/timed out/);
    expect([first, silent, lively].map((connection) => connection.isConnected())).toEqual([false, false, true]);
    await lively.disconnect();
  });
});
