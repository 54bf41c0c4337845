import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeHttp } from './http.server';

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
}

@Module({ controllers: [SlowController] })
class SlowModule {}

describe('closeHttp', () => {
  it('answers what was begun, and waits for nobody who keeps the connection afterwards', async () => {
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
});
