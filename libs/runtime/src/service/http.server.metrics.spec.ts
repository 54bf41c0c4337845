import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Global, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { notKnownYet, unavailable } from '@lettermill/problems';
import pino from 'pino';
import { register } from 'prom-client';
import { PROBES } from '../health/probes';
import { createWebApp } from './web.app';

const UPLOAD_MS = 400;
const WORK_MS = 100;

@Controller()
class MeteredController {
  @Post('take')
  async take(): Promise<object> {
    await pause(WORK_MS);
    return {};
  }

  @Get('late')
  late(): never {
    throw notKnownYet('It is not read yet.');
  }

  @Get('away')
  away(): never {
    throw unavailable('The store is away.');
  }

  @Get('defect')
  defect(): never {
    throw new TypeError('a defect');
  }
}

@Global()
@Module({ controllers: [MeteredController], providers: [{ provide: PROBES, useValue: [] }], exports: [PROBES] })
class MeteredModule {}

describe('the metrics of requests', () => {
  const lines: Record<string, unknown>[] = [];
  let app: NestFastifyApplication;
  beforeAll(async () => {
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    app = await createWebApp({ service: 'gateway', logger, maxBodyBytes: 1_000_000, behindGateway: false }, [
      MeteredModule,
    ]);
    await app.listen(0, '127.0.0.1');
  });
  beforeEach(() => lines.splice(0));
  afterAll(() => app.close());

  const connected = () => connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  /** The value of each series of a metric, by all that its line says before it. */
  const valuesOf = async (metric: string) => {
    const told = (await register.getSingleMetricAsString(metric)).split('\n').filter((line) => !line.startsWith('#'));
    return new Map(told.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  };
  const secondsOf = async (part: string, labels: string) =>
    (await valuesOf('lettermill_http_request_seconds')).get(`lettermill_http_request_seconds_${part}{${labels}}`) ?? 0;

  it.each([
    ['of a known length', (body: string) => [`content-length: ${body.length}\r\n\r\n`, body]],
    [
      'in chunks',
      (body: string) => ['transfer-encoding: chunked\r\n\r\n', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    ],
    [
      'that it is asked for',
      (body: string) => [`expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`, body],
    ],
  ])('leave out how long a client takes to send a body %s; the log line has it', async (_how, partsOf) => {
    const series = 'service="gateway",method="POST",route="/take",status="201"';
    const [sum, count] = [await secondsOf('sum', series), await secondsOf('count', series)];
    const client = connected();
    for (const size of [100, 100_000]) {
      const [head, body] = partsOf(JSON.stringify({ raw: 'x'.repeat(size) })) as [string, string];
      client.write(`POST /take HTTP/1.1\r\nhost: a.example\r\ncontent-type: application/json\r\n${head}`);
      await pause(UPLOAD_MS / 2);
      client.write(body.slice(0, 50));
      await pause(UPLOAD_MS / 2);
      client.write(body.slice(50));
      for (let answer = ''; !answer.includes('{}');) answer += String((await once(client, 'data'))[0]);
    }
    client.destroy();
    expect((await secondsOf('count', series)) - count).toBe(2);
    const measured = (await secondsOf('sum', series)) - sum;
    expect(measured).toBeGreaterThan((2 * WORK_MS) / 1000 - 0.01);
    const logged = lines.map(({ ms }) => Number(ms)).reduce((one, other) => one + other);
    // The server may have been late to see the heads.
    expect(logged / 1000 - measured).toBeGreaterThan(UPLOAD_MS / 1000);
  });

  it('count answers of 5xx by the code of the problem, from 0', async () => {
    const counted = () => valuesOf('lettermill_http_server_errors_total');
    expect(Math.max(...(await counted()).values())).toBe(0);
    for (const url of ['/late', '/late', '/away', '/defect', '/nowhere']) await app.inject({ url });
    const series = (route: string, code: string) =>
      `lettermill_http_server_errors_total{service="gateway",route="${route}",code="${code}"}`;
    const after = [...(await counted())].filter(([, value]) => value > 0);
    expect(after).toEqual([
      [series('/late', 'not_known_yet'), 2],
      [series('/away', 'unavailable'), 1],
      [series('/defect', 'internal_error'), 1],
    ]);
  });

  it('count what is refused unread, of no method and no route', async () => {
    const series = 'service="gateway",method="none",route="none",status="400"';
    const before = await secondsOf('count', series);
    const client = connected();
    client.write('hello\r\n\r\n');
    await once(client, 'data');
    client.destroy();
    expect((await secondsOf('count', series)) - before).toBe(1);
  });
});
