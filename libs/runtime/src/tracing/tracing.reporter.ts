import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logging/logger';

const EXPORT_SUCCEEDED = 0;
const silent = () => undefined;

/** Logs what operators must know about traces, each fact once: OpenTelemetry itself goes on silently. */
export class TracingReporter {
  private readonly reportedFaults = new Set<string>();
  private isLosingSpans = false;

  constructor(private readonly logger: Logger) {}

  /** Runs `work`, which reads OpenTelemetry's variables, and warns of those that cannot be used. */
  reportFaultsOf<T>(work: () => T): T {
    const warn = (fault: string) => this.reportFault(fault);
    diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
    try {
      return work();
    } finally {
      diag.disable();
    }
  }

  /** Logs when spans of the exporter begin to be lost, and when the collector accepts them again. */
  watchExporter(exporter: SpanExporter): SpanExporter {
    return {
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.reportExport(
            result.code === EXPORT_SUCCEEDED ? undefined : (result.error?.message ?? 'no reason is given'),
          );
          done(result);
        }),
    };
  }

  private reportFault(fault: string): void {
    if (this.reportedFaults.has(fault)) return;
    this.reportedFaults.add(fault);
    this.logger.warn(`an OpenTelemetry variable cannot be used: ${fault}`);
  }

  private reportExport(fault: string | undefined): void {
    if (this.isLosingSpans === (fault !== undefined)) return;
    this.isLosingSpans = !this.isLosingSpans;
    if (fault === undefined) this.logger.info('the collector accepts spans again');
    else this.logger.warn({ detail: fault }, 'spans are lost: the collector does not accept them');
  }
}
