import { ROOT_CONTEXT, SpanStatusCode, trace, type Context, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { within } from '@lettermill/concurrency';
import { VERSION } from '@lettermill/version';
import type { Logger } from '../logging/logger';
import { formatTraceparent, parseTraceparent } from './traceparent';
import type { OpenSpan, SpanFacts, SpanOptions, Tracing } from './span';
import { TracingNews } from './tracing.news';

const PATIENCE_MS = 2_000;

interface Provided {
  provider: NodeTracerProvider;
  tracer: Tracer;
}

/** Sends spans by OTLP over HTTP. OpenTelemetry's own variables (OTEL_…) set endpoint, headers, sampler and limits. */
export function openTracing(logger: Logger): Tracing {
  const news = new TracingNews(logger);
  const services = new Map<string, Provided>();
  const of = (service: string): Provided => {
    const found = services.get(service);
    if (found) return found;
    const made = news.heeding(() => provide(service, news));
    services.set(service, made);
    return made;
  };
  return {
    start: (service, options) => begin(of(service).tracer, options),
    close: async () => {
      // An unavailable collector must not keep the process from ending.
      const ends = [...services.values()].map(({ provider }) => provider.shutdown().catch(() => undefined));
      await within(PATIENCE_MS, Promise.all(ends));
    },
  };
}

/** Each service of a process has a name of its own in the traces. */
function provide(service: string, news: TracingNews): Provided {
  const ours = resourceFromAttributes({ 'service.name': `lettermill-${service}`, 'service.version': VERSION });
  const resource = defaultResource()
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(ours);
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(news.of(new OTLPTraceExporter()))],
  });
  return { provider, tracer: provider.getTracer('lettermill', VERSION) };
}

function contextOf(parent: string | undefined): Context {
  const place = parseTraceparent(parent);
  if (!place) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = place;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function begin(tracer: Tracer, { name, kind, parent, facts }: SpanOptions): OpenSpan {
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
