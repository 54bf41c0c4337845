import { coalesceCalls } from '@lettermill/concurrency';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import { Durations } from './durations';

/** A process has one registry. Services that share a process share its metrics; the label `service` tells them apart. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const httpSeconds = new Durations({
  name: 'lettermill_http_request_seconds',
  help: 'Duration of a request until the last byte of its answer, without the time in which its body arrived',
  labelNames: ['service', 'method', 'route', 'status'],
  buckets: DURATION_BUCKETS,
});

export const eventsHandled = new Counter({
  name: 'lettermill_events_handled_total',
  help: 'Events that a service has handled, by type',
  labelNames: ['service', 'topic', 'type'],
});

export const batchSeconds = new Histogram({
  name: 'lettermill_event_batch_seconds',
  help: 'Time that a service took for one batch of events',
  labelNames: ['service', 'topic'],
  buckets: DURATION_BUCKETS,
});

export const deadLetters = new Counter({
  name: 'lettermill_dead_letters_total',
  help: 'Records put aside because they cannot be handled',
  labelNames: ['service', 'topic', 'code'],
});

export const eventRetries = new Counter({
  name: 'lettermill_event_retries_total',
  help: 'Batches retried after a transient fault, by code',
  labelNames: ['service', 'topic', 'code'],
});

export const appendSeconds = new Durations({
  name: 'lettermill_log_append_seconds',
  help: 'Time until records were durable on the log',
  labelNames: ['service'],
  buckets: DURATION_BUCKETS,
});

export const appendFaults = new Counter({
  name: 'lettermill_log_append_faults_total',
  help: 'Appends that the log refused, by code',
  labelNames: ['service', 'code'],
});

let started = false;

/** Starts the process-wide metrics, once per process. */
export function startProcessMetrics(version: string): void {
  if (started) return;
  started = true;
  collectDefaultMetrics();
  new Gauge({ name: 'lettermill_build_info', help: 'Version of this build', labelNames: ['version'] }).set(
    { version },
    1,
  );
}

/** Coalesced, because collecting the metrics queries log and store, and anybody may request them as often as they like. */
export const metricsText = coalesceCalls(() => register.metrics());

export const metricsContentType = register.contentType;
