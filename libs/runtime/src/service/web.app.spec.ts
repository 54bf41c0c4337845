import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Controller, Get, Global, Module, Post, Req } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem, unavailable } from '@lettermill/problems';
import { StoreUnavailable } from '@lettermill/storage';
import pino from 'pino';
import { PROBES } from '../health/probes';
import type { AccountRequest } from '../internal/internal.guard';
import type { BodyRequest } from './body.admission';
import { createWebApp, listenFault, listenOn } from './web.app';

@Controller()
class TroubledController {
  @Get('store')
  store(): never {
    throw new StoreUnavailable('MongoWaitQueueTimeoutError: no connection in time');
  }

  @Get('owner')
  owner(): never {
    throw unavailable('The contacts service does not answer.', 'ECONNREFUSED');
  }

  @Get('broken')
  broken(): never {
    throw new TypeError('a defect');
  }

  @Get('refused')
  refused(@Req() request: AccountRequest): never {
    request.keyId = 'k1';
    throw new Problem('return_path_forged', 'Somebody else signed it.');
  }

  @Post('take')
  take(@Req() { body, rawBody, headers }: BodyRequest): object {
    return { type: headers['content-type'] ?? null, has: [body, rawBody].map((one) => one !== undefined) };
  }

  @Get('fine')
  fine(): object {
    return {};
  }
}

const probes = {
  log: () => Promise.reject(new Error('the brokers do not answer')),
  store: () => new Promise<void>(() => undefined),
};

@Global()
@Module({
  controllers: [TroubledController],
  providers: [{ provide: PROBES, useValue: probes }],
  exports: [PROBES],
})
class TroubledModule {}

describe('a service', () => {
  const lines: Record<string, unknown>[] = [];
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const logger = pino(
      { level: 'debug' },
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    const http = { service: 'gateway', logger, maxBodyBytes: 1_000_000, behindGateway: false };
    app = await createWebApp(http, [TroubledModule]);
    await app.init();
  });
  afterAll(() => app.close());

  it.each(['/fine', '/health/live', '/health/ready', '/metrics', '/broken', '/nowhere'])(
    'answers GET %s so that it is not kept by anybody',
    async (url) => {
      const { headers } = await app.inject({ method: 'GET', url });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    },
  );

  it.each([
    [{ 'content-length': '0' }, undefined],
    [{ 'transfer-encoding': 'chunked' }, ''],
  ])('takes a body that is empty for none, however its length is told: %j', async (length, payload) => {
    const headers = { 'content-type': 'application/json', ...length };
    const { body } = await app.inject({ method: 'POST', url: '/take', headers, payload });
    expect(JSON.parse(body)).toEqual({ type: null, has: [false, false] });
  });

  describe('writes a log line of a request that', () => {
    it.each([
      ['/store', 503, 'store_unavailable: MongoWaitQueueTimeoutError: no connection in time'],
      ['/owner', 503, 'unavailable: The contacts service does not answer. (ECONNREFUSED)'],
      ['/health/ready', 503, 'unavailable: log: the brokers do not answer; store: no answer within 1000 ms'],
      ['/fine', 200, undefined],
    ])('went to %s, was answered with %i and has the cause %s', async (url, status, cause) => {
      const { statusCode } = await app.inject({ method: 'GET', url });
      expect(statusCode).toBe(status);
      const [line] = lines.filter(({ route }) => route === url);
      expect(line).toMatchObject({ status });
      expect(line!.cause).toBe(cause);
    });

    it('was refused: with the code, and whose key it was', async () => {
      await app.inject({ method: 'GET', url: '/refused' });
      const [line] = lines.filter(({ route }) => route === '/refused');
      expect(line).toMatchObject({ status: 422, code: 'return_path_forged', key_id: 'k1' });
    });

    it('met a defect: with service and request id of the line of the error', async () => {
      const { statusCode, body } = await app.inject({ method: 'GET', url: '/broken' });
      expect(statusCode).toBe(500);
      const { request_id } = JSON.parse(body) as { request_id: string };
      const told = lines.filter((line) => line.request_id === request_id);
      expect(told.map(({ level, service, msg }) => [level, service, msg])).toEqual([
        [50, 'gateway', 'a defect'],
        [50, 'gateway', 'request'],
      ]);
      expect(told[0]!.err).toMatchObject({ type: 'TypeError', stack: expect.stringContaining('broken') });
    });
  });
});

it.each([
  [false, 413],
  [true, 201],
])('a body over MAX_BODY_BYTES that the gateway passes on (%s) is answered with %i', async (behindGateway, status) => {
  const logger = pino({ level: 'silent' });
  const app = await createWebApp({ service: 'x', logger, maxBodyBytes: 2048, behindGateway }, [TroubledModule]);
  await app.init();
  const payload = { raw: 'x'.repeat(1_000_000) };
  expect((await app.inject({ method: 'POST', url: '/take', payload })).statusCode).toBe(status);
  await app.close();
});

it('an address that can only be listened on with its interface is reported with what to do', () => {
  const fault = listenFault(Object.assign(new Error('listen EINVAL'), { code: 'EINVAL' }), 'fe80::1', 3000);
  expect(fault).toMatchObject({
    code: 'can_not_listen',
    message: expect.stringMatching(/^cannot listen on port 3000 of fe80::1: .*set HOST to .*fe80::1%eth0/),
  });
});

it('a file that is refused while a server is opened is not blamed on its port', () => {
  const refused = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'scandir', path: '/data/mailbox' });
  expect(listenFault(refused, '127.0.0.1', 0, 'MAILBOX_SMTP_PORT')).toBe(refused);
});

describe('a port in use', () => {
  it('is reported by the error only, not logged', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const http = { service: 'gateway', logger, maxBodyBytes: 1_000_000, behindGateway: false };
    const app = await createWebApp(http, [TroubledModule]);
    const fault = await listenOn(app, '127.0.0.1', port).catch((error: unknown) => error);
    await app.close();
    other.close();
    expect(fault).toMatchObject({
      code: 'can_not_listen',
      message: expect.stringContaining('set PORT to another port'),
    });
    expect(lines).toEqual([]);
  });
});
