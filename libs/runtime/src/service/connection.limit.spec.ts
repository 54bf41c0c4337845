import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { limitConnections, readProcessLimits, maxConnections } from './connection.limit';

describe('the connection limit of a process', () => {
  const limits = (files: string) =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files.padEnd(20)} 1048576              files\n`;

  it.each([
    ['1024', 512],
    ['20000', 10_000],
    ['1048576', 10_000],
    ['unlimited', 10_000],
  ])('with %s files that may be open is %d', (files, most) => expect(maxConnections(limits(files))).toBe(most));

  it('has a default when the system reports nothing, and is known for this process', () => {
    expect(maxConnections(undefined)).toBe(10_000);
    expect(maxConnections(readProcessLimits())).toBeGreaterThan(0);
  });
});

describe('a server at its connection limit', () => {
  const sockets: Socket[] = [];
  let server: Server;
  let port: number;
  let finish = () => {};

  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url === '/slow') finish = () => response.end('slow');
      else response.end('fast');
    });
    server.keepAliveTimeout = 600_000;
    limitConnections(server, 2, { warn: () => undefined }, 50);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** A connection that has sent a request, and its answer; empty if the connection is refused. */
  function ask(path: string): { socket: Socket; answer: Promise<string> } {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`);
    const answer = new Promise<string>((resolve) => {
      socket.once('data', (chunk: string) => resolve(chunk)).once('close', () => resolve(''));
      socket.on('error', () => undefined);
    });
    return { socket, answer };
  }

  it('closes idle connections before it refuses new ones', async () => {
    const idle = ask('/fast');
    expect(await idle.answer).toContain('200 OK');
    const gone = once(idle.socket, 'close');
    expect(await ask('/fast').answer).toContain('200 OK');
    await gone;
    expect(await ask('/fast').answer).toContain('200 OK');
  });

  it('closes connections that became idle, and answers requests in progress', async () => {
    const begun = once(server, 'request');
    const slow = ask('/slow');
    await begun;
    const idle = ask('/fast');
    expect(await idle.answer).toContain('200 OK');
    if (!idle.socket.destroyed) await once(idle.socket, 'close');
    expect(await ask('/fast').answer).toContain('200 OK');
    finish();
    expect(await slow.answer).toContain('200 OK');
  });
});
