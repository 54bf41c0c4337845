import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logging/logger';

const EXPORT_SUCCEEDED = 0;
const silent = () => undefined;
/** A value that may be an address with credentials in it. They may have quotes, too. */
const QUOTED_ADDRESS = /(['"]).*[@?].*\1/s;

/** Logs what operators must know about traces, each fact once: OpenTelemetry itself goes on silently. */
export class TracingReporter {
  private readonly reportedFaults = new Set<string>();
  private isLosingSpans = false;

  constructor(private readonly logger: Logger) {}

  /** Runs `work`, which reads OpenTelemetry's variables, and warns of those that cannot be used: of what it tells down to `level`. */
  reportFaultsOf<T>(work: () => T, level = DiagLogLevel.WARN): T {
    let isWorking = false;
    // Setting and removing the logger are told at level debug, too.
    const warn = (fault: string) => isWorking && this.reportFault(fault.replace(QUOTED_ADDRESS, '$1…$1'));
    diag.setLogger({ error: warn, warn, info: silent, debug: warn, verbose: silent }, level);
    try {
      isWorking = true;
      return work();
    } finally {
      isWorking = false;
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
