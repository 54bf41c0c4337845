import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { Draining } from '../health/draining';
import { configureHttp, httpAdapter } from './http.server';

@Controller()
class TakingController {
  @Post('v2/take')
  take(): object {
    return {};
  }
}

@Module({ controllers: [TakingController], providers: [Draining] })
class TakingModule {}

describe('what is refused before it is a request', () => {
  const logged = new PassThrough({ encoding: 'utf8' });
  const options = { service: 'gateway', logger: pino({}, logged), maxBodyBytes: 1_000, behindGateway: false };
  let app: NestFastifyApplication;
  const server = () => app.getHttpServer() as unknown as Server;
  const connected = () => connect((server().address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');

  beforeAll(async () => {
    const quiet = { logger: false, bodyParser: false } as const;
    app = await NestFactory.create<NestFastifyApplication>(TakingModule, httpAdapter(options), quiet);
    configureHttp(app, options);
    await app.listen(0, '127.0.0.1');
    // A head that is not complete by the next look at the connections is late.
    server().headersTimeout = 1;
  });
  afterAll(() => app.close());

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'request_malformed'],
    ['a head that is too large', `GET / HTTP/1.1\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`, 400, 'request_malformed'],
    ['a head that does not come in time', 'GET / HTTP/1.1\r\nhost: a.ex', 408, 'request_timeout'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n', 405, 'method_not_allowed'],
  ])('has a log line with the id of its answer: %s', async (_what, bytes, status, code) => {
    const client = connected();
    client.write(bytes);
    const [answer] = (await once(client, 'data')) as [string];
    client.destroy();
    const { request_id } = JSON.parse(answer.slice(answer.indexOf('{'))) as { request_id: string };
    const line = JSON.parse(String(logged.read())) as unknown;
    expect(line).toMatchObject({ service: 'gateway', request_id, status, code, msg: 'request' });
  });

  const HEAD = 'POST /v2/take?a=b HTTP/1.1\r\nhost: a.example\r\ncontent-type: application/json\r\n';
  const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
  const CUT_OFF = 'The body was cut off: the connection was closed before all of it had arrived.';
  const NOT_HTTP = 'The request is not well-formed HTTP/1.1.';

  it.each([
    ['a body that is cut off', `${HEAD}content-length: 9\r\n\r\n{"a"`, CUT_OFF, '/v2/take'],
    ['chunks that are cut off', `${CHUNKED}4\r\n{"a"\r\n`, CUT_OFF, '/v2/take'],
    ['chunks that are none', `${CHUNKED}x\r\n`, 'The chunks of the body are malformed (RFC 9112, 7.1).', '/v2/take'],
    ['a head that is cut off', HEAD, NOT_HTTP, '/'],
    ['a head that is none', 'hello\r\n\r\n', NOT_HTTP, '/'],
  ])('is told what is wrong with it: %s', async (_what, bytes, detail, instance) => {
    const client = connected();
    client.end(bytes);
    const [answer] = (await once(client, 'data')) as [string];
    const told = JSON.parse(answer.slice(answer.indexOf('{'))) as object;
    expect(told).toMatchObject({ status: 400, code: 'request_malformed', detail, instance });
    logged.read();
  });

  it('may be a body that does not come in time: the answer names the call', async () => {
    server().requestTimeout = 1;
    const client = connected();
    client.write(`${HEAD}content-length: 9\r\n\r\n{"a"`);
    const [answer] = (await once(client, 'data')) as [string];
    client.destroy();
    server().requestTimeout = 60_000;
    const told = JSON.parse(answer.slice(answer.indexOf('{'))) as object;
    expect(told).toMatchObject({ status: 408, code: 'request_timeout', instance: '/v2/take' });
    logged.read();
  });

  it('may be CONNECT of a client that then resets its connection: the process goes on', async () => {
    const accepted = new Promise<Socket>((resolve) => server().once('connection', resolve));
    const client = connected();
    client.write('CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n');
    await once(client, 'data');
    const socket = await accepted;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    client.resetAndDestroy();
    await closed;
  });
});
