import pino from 'pino';

let loaded = false;
jest.mock('@opentelemetry/sdk-trace-node', () => {
  loaded = true;
  return {};
});

it('loads nothing of OpenTelemetry while no endpoint is set', async () => {
  const { startTracing, startSpan, inSpan } = await import('./tracing.js');
  const logger = pino({ enabled: false });
  await startTracing(logger, {});
  for (const disabled of ['true', 'TRUE', ' True '])
    await startTracing(logger, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: disabled });
  expect(startSpan('gateway', { name: 'x' })).toBeUndefined();
  expect(await inSpan('gateway', { name: 'x', parent: 'as it came' }, (below) => Promise.resolve(below))).toBe(
    'as it came',
  );
  expect(loaded).toBe(false);
});
