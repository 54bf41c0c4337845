import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logging/logger';

const TAKEN = 0;
const silent = () => undefined;

/** What a user has to know of his traces, each thing once: OpenTelemetry itself says nothing, and goes on. */
export class TracingNews {
  private readonly told = new Set<string>();
  private lost = false;

  constructor(private readonly logger: Logger) {}

  /** Does what reads OpenTelemetry's variables; of those that can't be used there is a warning. */
  heeding<T>(work: () => T): T {
    const warn = (fault: string) => this.fault(fault);
    diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
    try {
      return work();
    } finally {
      diag.disable();
    }
  }

  /** Tells when its spans begin to be lost, and when they are taken again. */
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
