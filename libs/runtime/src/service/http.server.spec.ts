import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { closeHttp, httpAdapter } from './http.server';

const LONG_MS = 120_000;

let begun = () => {};
let finish = () => {};

@Controller()
class SlowController {
  @Get('slow')
  async slow(): Promise<string> {
    begun();
    await new Promise<void>((resolve) => (finish = resolve));
    return 'done';
  }

  @Get('large')
  large(): string {
    return 'x'.repeat(4_000_000);
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

describe('closeHttp', () => {
  it('answers requests in progress, and does not wait for connections kept alive', async () => {
    const adapter = new FastifyAdapter({ keepAliveTimeout: LONG_MS });
    const app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    const reached = new Promise<void>((resolve) => (begun = resolve));
    const request = get({ host: '127.0.0.1', port, path: '/slow', agent });
    await reached;
    const closed = closeHttp(app, LONG_MS);
    const server = app.getHttpServer() as unknown as Server;
    while (server.listening) await new Promise((resolve) => setImmediate(resolve));
    finish();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await closed;
    agent.destroy();
  });

  it('cuts off a request that takes longer than the time that is left', async () => {
    const adapter = new FastifyAdapter({ keepAliveTimeout: LONG_MS });
    const app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const reached = new Promise<void>((resolve) => (begun = resolve));
    const request = get({ host: '127.0.0.1', port, path: '/slow' });
    const cut = once(request, 'response').catch(({ code }: NodeJS.ErrnoException) => code);
    await reached;
    await closeHttp(app, 1);
    expect(await cut).toBe('ECONNRESET');
    finish();
  });

  it('answers calls on connections that are still waiting to be accepted', async () => {
    const adapter = new FastifyAdapter({ keepAliveTimeout: LONG_MS });
    const app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const answers = [1, 2, 3, 4, 5].map(async () => {
      const client = connect(port, '127.0.0.1');
      client.write('GET /nothing HTTP/1.1\r\nHost: a.example\r\n\r\n');
      const [answer] = (await once(client, 'data')) as [Buffer];
      client.end();
      return String(answer).slice(0, 12);
    });
    // They connect, and the event loop has no turn to accept them.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const closed = closeHttp(app, LONG_MS, LONG_MS);
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'HTTP/1.1 404'));
    await closed;
  });

  it('answers a request already under way on an idle connection, and accepts no new connection', async () => {
    const adapter = new FastifyAdapter({ keepAliveTimeout: LONG_MS });
    const app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.listen(0, '127.0.0.1');
    const server = app.getHttpServer() as unknown as Server;
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    const ask = () => client.write('GET /nothing HTTP/1.1\r\nHost: a.example\r\n\r\n');
    const answer = async () => String(((await once(client, 'data')) as [Buffer])[0]).slice(0, 12);
    ask();
    expect(await answer()).toBe('HTTP/1.1 404');
    const closed = closeHttp(app, LONG_MS, LONG_MS);
    while (server.listening) await new Promise((resolve) => setImmediate(resolve));
    const [late] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(late.code).toBe('ECONNREFUSED');
    ask();
    expect(await answer()).toBe('HTTP/1.1 404');
    client.end();
    await closed;
  });
});

describe('a server', () => {
  const GET_LARGE = 'GET /large HTTP/1.1\r\nHost: a.example\r\n\r\n';
  const options = { service: 'gateway', logger: pino({ level: 'silent' }), maxBodyBytes: 1_000, behindGateway: false };

  it('closes a connection that does not read its responses, but not an idle one that has read them', async () => {
    const app = await NestFactory.create<NestFastifyApplication>(SlowModule, httpAdapter(options), { logger: false });
    await app.listen(0, '127.0.0.1');
    const server = app.getHttpServer() as unknown as Server;
    const { port } = server.address() as AddressInfo;
    expect(server.timeout).toBe(120_000);
    server.timeout = 200;
    const accepted = async () => ((await once(server, 'connection')) as [Socket])[0];
    const first = accepted();
    const deaf = connect(port, '127.0.0.1').pause();
    const deafSide = await first;
    const second = accepted();
    const idle = connect(port, '127.0.0.1');
    const idleSide = await second;
    deaf.write(GET_LARGE.repeat(10));
    let read = 0;
    idle.on('data', (data) => (read += data.length)).write(GET_LARGE);
    await once(deafSide, 'close');
    await pause(300);
    expect(read).toBeGreaterThan(4_000_000);
    expect(idleSide.destroyed).toBe(false);
    for (const socket of [deaf, idle]) socket.destroy();
    await app.close();
  });
});

it('a server keeps idle connections for longer than proxies do, and gives a head 10 s and a request a minute', async () => {
  const options = { service: 'gateway', logger: pino({ level: 'silent' }), maxBodyBytes: 1000, behindGateway: false };
  const app = await NestFactory.create<NestFastifyApplication>(SlowModule, httpAdapter(options), { logger: false });
  const { keepAliveTimeout, headersTimeout, requestTimeout, timeout } = app.getHttpServer() as unknown as Server;
  expect([keepAliveTimeout, headersTimeout, requestTimeout, timeout]).toEqual([620_000, 10_000, 60_000, 120_000]);
  await app.close();
});
