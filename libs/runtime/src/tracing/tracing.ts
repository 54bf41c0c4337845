import type { Logger } from '../logging/logger';
import type { OpenSpan, SpanOptions, Tracing } from './span';

let active: Tracing | undefined;

/** Traces are on if OpenTelemetry's own variables name an endpoint; otherwise its packages are not even loaded. */
export async function startTracing(logger: Logger, environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SDK_DISABLED } = environment;
  // As OpenTelemetry reads it.
  const isDisabled = OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
  if (!(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) || isDisabled) return;
  const { openTracing } = await import('./tracing.otel.js');
  active ??= openTracing(logger);
}

export async function stopTracing(): Promise<void> {
  const ending = active;
  active = undefined;
  await ending?.close();
}

export function tracingIsOn(): boolean {
  return active !== undefined;
}

/** Undefined while traces are off, so that `span?.end()` costs nothing. */
export function startSpan(service: string, options: SpanOptions): OpenSpan | undefined {
  return active?.start(service, options);
}

/** Runs `work` in a span of its own, with the `traceparent` for the spans below it. */
export function inSpan<T>(
  service: string,
  options: SpanOptions,
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const span = startSpan(service, options);
  return span ? runAndEnd(span, work) : work(options.parent);
}

async function runAndEnd<T>(span: OpenSpan, work: (traceparent: string) => Promise<T>): Promise<T> {
  try {
    const done = await work(span.traceparent);
    span.end();
    return done;
  } catch (error) {
    span.end(undefined, (error as { code?: string } | undefined)?.code ?? 'unknown');
    throw error;
  }
}
