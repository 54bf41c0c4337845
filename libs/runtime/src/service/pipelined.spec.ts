import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Controller, Get, Global, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem } from '@lettermill/problems';
import pino from 'pino';
import { PROBES } from '../health/probes';
import { Draining } from '../health/draining';
import { createWebApp } from './web.app';

let calls: string[] = [];
let begun = () => {};
let finish = () => {};

@Controller()
class CountedController {
  @Get('first')
  async first(): Promise<string> {
    calls.push('first');
    begun();
    await new Promise<void>((resolve) => (finish = resolve));
    return 'first';
  }

  @Get('second')
  second(): string {
    calls.push('second');
    finish();
    return 'second';
  }

  @Post('taken')
  taken(): string {
    calls.push('taken');
    return 'taken';
  }
}

@Global()
@Module({ controllers: [CountedController], providers: [{ provide: PROBES, useValue: {} }], exports: [PROBES] })
class CountedModule {}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a.example\r\n\r\n`;
const post = (path: string, header: string) =>
  `POST ${path} HTTP/1.1\r\nhost: a.example\r\ncontent-type: application/json\r\ncontent-length: 2\r\n${header}\r\n\r\n{}`;

describe('pipelined requests', () => {
  let app: NestFastifyApplication;
  let port: number;
  /** If set, delays the refusal of one address until it resolves, as a shared rate limit does. */
  let refusal: Promise<void> | undefined;

  beforeEach(async () => {
    calls = [];
    refusal = undefined;
    const http = { service: 'gateway', logger: pino({ level: 'silent' }), maxBodyBytes: 1_000, behindGateway: false };
    app = await createWebApp(http, [CountedModule]);
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', async ({ headers }) => {
        if (headers['x-refuse'] === undefined) return;
        await refusal;
        throw new Problem('rate_limited', 'Later.');
      });
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
  });
  afterEach(() => app.close());

  /** Everything that the server sends back. */
  async function exchange(bytes: string, meanwhile?: () => Promise<string>): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let read = '';
    socket.on('data', (chunk: string) => (read += chunk));
    socket.write(bytes);
    if (meanwhile) socket.write(await meanwhile());
    socket.end();
    await once(socket, 'close');
    return read;
  }
  const statuses = (answers: string) => answers.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => Number(line.slice(9)));

  it('are not handled after the last response of a draining server', async () => {
    app.get(Draining).begin();
    expect(statuses(await exchange(get('/second') + get('/second')))).toEqual([200]);
    expect(calls).toEqual(['second']);
  });

  it('are answered if they began before it drained, as is one that follows', async () => {
    const reached = new Promise<void>((resolve) => (begun = resolve));
    const answers = await exchange(get('/first'), async () => {
      await reached;
      app.get(Draining).begin();
      return get('/second') + get('/second');
    });
    expect(statuses(answers)).toEqual([200, 200]);
    expect(calls).toEqual(['first', 'second']);
  });

  it('are answered after a refused one whose body arrived nevertheless', async () => {
    refusal = new Promise<void>((resolve) => (finish = resolve));
    const answers = await exchange(post('/taken', 'expect: 100-continue\r\nx-refuse: y') + get('/second'));
    expect(statuses(answers)).toEqual([100, 429, 200]);
  });

  it('get 100 Continue once, when their body is read, and not when they are refused', async () => {
    expect(statuses(await exchange(post('/taken', 'expect: 100-continue')))).toEqual([100, 201]);
    const refused = await exchange(post('/taken', 'expect: 100-continue\r\nx-refuse: y').slice(0, -2));
    expect(statuses(refused)).toEqual([429]);
    expect(refused).toMatch(/\r\nconnection: close\r\n/i);
    expect(statuses(await exchange(post('/nowhere', 'expect: 100-continue').slice(0, -2)))).toEqual([404]);
    expect(calls).toEqual(['taken']);
  });
});
