import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logging/logger';

const TAKEN = 0;
const silent = () => undefined;

/** Logs what operators must know about traces, each fact once: OpenTelemetry itself goes on silently. */
export class TracingNews {
  private readonly told = new Set<string>();
  private lost = false;

  constructor(private readonly logger: Logger) {}

  /** Runs `work`, which reads OpenTelemetry's variables, and warns of those that cannot be used. */
  heeding<T>(work: () => T): T {
    const warn = (fault: string) => this.fault(fault);
    diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
    try {
      return work();
    } finally {
      diag.disable();
    }
  }

  /** Logs when spans of the exporter begin to be lost, and when the collector accepts them again. */
  of(exporter: SpanExporter): SpanExporter {
    return {
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.exported(result.code === TAKEN ? undefined : (result.error?.message ?? 'no reason is given'));
          done(result);
        }),
    };
  }

  private fault(fault: string): void {
    if (this.told.has(fault)) return;
    this.told.add(fault);
    this.logger.warn(`an OpenTelemetry variable cannot be used: ${fault}`);
  }

  private exported(fault: string | undefined): void {
    if (this.lost === (fault !== undefined)) return;
    this.lost = !this.lost;
    if (fault === undefined) this.logger.info('the collector accepts spans again');
    else this.logger.warn({ detail: fault }, 'spans are lost: the collector does not accept them');
  }
}
