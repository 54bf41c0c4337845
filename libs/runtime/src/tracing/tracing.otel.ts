import { DiagLogLevel, ROOT_CONTEXT, SpanStatusCode, trace, type Context, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { waitAtMost } from '@lettermill/concurrency';
import { VERSION } from '@lettermill/version';
import type { Logger } from '../logging/logger';
import { formatTraceparent, parseTraceparent } from './traceparent';
import type { OpenSpan, SpanFacts, SpanOptions, Tracing } from './span';
import { TracingReporter } from './tracing.reporter';

const SHUTDOWN_TIMEOUT_MS = 2_000;

interface ServiceTracing {
  provider: NodeTracerProvider;
  tracer: Tracer;
}

/** Sends spans by OTLP over HTTP. OpenTelemetry's own variables (OTEL_…) set endpoint, headers, sampler and limits. */
export function openTracing(logger: Logger): Tracing {
  const reporter = new TracingReporter(logger);
  // That it leaves out all attributes the detector tells only at level debug.
  const fromVariables = reporter.reportFaultsOf(() => envDetector.detect(), DiagLogLevel.DEBUG);
  const given = resourceFromAttributes(fromVariables.attributes ?? {});
  const services = new Map<string, ServiceTracing>();
  const tracingOf = (service: string): ServiceTracing => {
    const found = services.get(service);
    if (found) return found;
    const made = reporter.reportFaultsOf(() => createServiceTracing(service, given, reporter));
    services.set(service, made);
    return made;
  };
  return {
    start: (service, options) => startOtelSpan(tracingOf(service).tracer, options),
    close: async () => {
      // An unavailable collector must not keep the process from ending.
      const ends = [...services.values()].map(({ provider }) => provider.shutdown().catch(() => undefined));
      await waitAtMost(SHUTDOWN_TIMEOUT_MS, Promise.all(ends));
    },
  };
}

/** Each service of a process has a name of its own in the traces. */
function createServiceTracing(service: string, given: Resource, reporter: TracingReporter): ServiceTracing {
  const ours = resourceFromAttributes({ 'service.name': `lettermill-${service}`, 'service.version': VERSION });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(given).merge(ours),
    spanProcessors: [new BatchSpanProcessor(reporter.watchExporter(new OTLPTraceExporter()))],
  });
  return { provider, tracer: provider.getTracer('lettermill', VERSION) };
}

function contextOf(parent: string | undefined): Context {
  const place = parseTraceparent(parent);
  if (!place) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = place;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function startOtelSpan(tracer: Tracer, { name, kind, parent, facts }: SpanOptions): OpenSpan {
  const span = tracer.startSpan(name, { kind, attributes: facts }, contextOf(parent));
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: formatTraceparent({ traceId, spanId, flags: traceFlags }),
    end: (ended?: SpanFacts, fault?: string) => {
      if (ended) span.setAttributes(ended);
      if (fault !== undefined) {
        span.setAttribute('error.type', fault);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
