import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { Draining } from '../health/draining';
import { configureHttp, httpAdapter } from './http.server';

@Module({ providers: [Draining] })
class EmptyModule {}

describe('what is refused before it is a request', () => {
  const logged = new PassThrough({ encoding: 'utf8' });
  const options = { service: 'gateway', logger: pino({}, logged), maxBodyBytes: 1_000, behindGateway: false };
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const quiet = { logger: false, bodyParser: false } as const;
    app = await NestFactory.create<NestFastifyApplication>(EmptyModule, httpAdapter(options), quiet);
    configureHttp(app, options);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'request_malformed'],
    ['a head that is too large', `GET / HTTP/1.1\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`, 400, 'request_malformed'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n', 405, 'method_not_allowed'],
  ])('has a log line with the id of its answer: %s', async (_what, bytes, status, code) => {
    const client = connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    client.write(bytes);
    const [answer] = (await once(client, 'data')) as [string];
    client.destroy();
    const { request_id } = JSON.parse(answer.slice(answer.indexOf('{'))) as { request_id: string };
    const line = JSON.parse(String(logged.read())) as unknown;
    expect(line).toMatchObject({ service: 'gateway', request_id, status, code, msg: 'request' });
  });
});
