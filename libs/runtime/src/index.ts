export * from './control/control.server';
export * from './internal/internal.guard';
export * from './internal/internal.token';
export * from './logging/logger';
export * from './platform/caught.up';
export * from './platform/platform';
export * from './platform/platform.module';
export { HealthController } from './health/health.controller';
export * from './health/health.module';
export * from './health/probes';
export * from './metrics/metric.once';
export * from './metrics/metrics';
export { MetricsController } from './metrics/metrics.controller';
export * from './platform/cluster.platform';
export * from './platform/hourly.sweeper';
export * from './platform/retention.cutoffs';
export { deniedData, makeDataDirectory, syncEntry } from './platform/data.directory';
export * from './platform/embedded.platform';
export * from './platform/open.platform';
export * from './platform/text.decoder';
export * from './health/draining';
export * from './service/pages';
export { Pieces } from './service/pieces';
export {
  noteRefusal,
  noteUnavailable,
  ProblemFilter,
  causeOfUnavailable,
  codeOfRefusal,
} from './service/problem.filter';
export { isMultipart, type BodyRequest } from './service/body.admission';
export type { BodyInHand } from './service/body.in.hand';
export { hasReadableQuery } from './service/request.target';
export { closeHttp, SHUTDOWN_GRACE_MS, isOwnCall } from './service/http.server';
export * from './service/web.app';
export * from './service/process';
export * from './service/run.service';
export * from './service/service';
export { keepGarbageYoung } from './service/short.lived';
export * from './tracing/span';
export * from './tracing/tracing';
export * from './tokens/return.path';
export * from './tokens/unsubscribe.token';
