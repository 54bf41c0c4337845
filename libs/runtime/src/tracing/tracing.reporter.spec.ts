import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { openTracing } from './tracing.otel';

describe('the log lines about traces', () => {
  const lines: { level: number; msg: string; detail?: string }[] = [];
  const logger = pino({ base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const before = { ...process.env };
  let answer = '400 Bad Request';
  let asked = 0;
  const collector = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      asked += 1;
      socket.end(`HTTP/1.1 ${answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
  });

  beforeAll(() => once(collector.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => collector.close());
  beforeEach(() => lines.splice(0));
  afterEach(() => (process.env = { ...before }));

  const tracing = (environment: Record<string, string>) => {
    Object.assign(process.env, { OTEL_BSP_SCHEDULE_DELAY: '20', ...environment });
    return openTracing(logger);
  };
  const collectorUrl = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const waitUntil = async (there: () => boolean) => {
    while (!there()) await pause(10);
  };

  it('report once that spans are lost, and that they are accepted again', async () => {
    const { start, close } = tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl() });
    const rounds = async (more: number) => {
      for (const end = asked + more; asked < end; await pause(20)) start('gateway', { name: 'x' }).end();
    };
    await rounds(3);
    await waitUntil(() => lines.length > 0);
    answer = '200 OK';
    await rounds(3);
    await waitUntil(() => lines.length > 1);
    await close();
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'spans are lost: the collector does not accept them'],
      [30, 'the collector accepts spans again'],
    ]);
    expect(lines[0]!.detail).toContain('Bad Request');
  });

  it('report an unusable variable, once for all services', async () => {
    const { start, close } = tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(), OTEL_TRACES_SAMPLER: 'sometimes' });
    for (const service of ['gateway', 'contacts']) start(service, { name: 'x' }).end();
    await close();
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([[40, expect.stringContaining('sometimes')]]);
  });

  it('report an invalid address', async () => {
    const { start, close } = tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://', OTEL_BSP_SCHEDULE_DELAY: '60000' });
    start('gateway', { name: 'x' });
    await close();
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('http://')]);
  });

  it.each([
    'https://tenant:canary-token@collector:99999',
    "https://tenant:canary'token@collector:99999",
    'https://tenant:canary/token@collector:99999',
    'https://collector:99999/?key=canary-token',
  ])('report an invalid address without the credentials in it: %s', async (endpoint) => {
    for (const variable of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) {
      const { start, close } = tracing({ [variable]: endpoint, OTEL_BSP_SCHEDULE_DELAY: '60000' });
      start('gateway', { name: 'x' });
      await close();
      delete process.env[variable];
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.map(({ msg }) => msg).join()).not.toMatch(/canary|token/);
    expect(lines[0]!.msg).toContain('Could not parse environment-provided export URL');
  });

  it.each([
    ['team', false],
    ['team=mail,region=a=b', false],
    ['team=%zz', false],
    ['team=mail,,region=eu%2Cwest,', true],
  ])('report attributes that are all left out: %s', async (attributes, usable) => {
    const { start, close } = tracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(),
      OTEL_RESOURCE_ATTRIBUTES: attributes,
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    });
    for (const service of ['gateway', 'contacts']) start(service, { name: 'x' });
    await close();
    const told = expect.stringMatching(
      /^an OpenTelemetry variable cannot be used: .*OTEL_RESOURCE_ATTRIBUTES/,
    ) as string;
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual(usable ? [] : [[40, told]]);
  });
});
