import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { HealthController, MetricsController } from '@lettermill/runtime';

/** The titles are names among the schemas of the document. */
const LIVE_SCHEMA = {
  title: 'Liveness',
  type: 'object',
  properties: { status: { type: 'string', enum: ['ok'] } },
  required: ['status'],
};
const PARTS_SCHEMA = {
  type: 'object',
  additionalProperties: {
    title: 'ReadyPart',
    type: 'object',
    properties: { status: { type: 'string', enum: ['up'] } },
    required: ['status'],
  },
};
/** What Terminus answers. Its own description is not used, as it would add a 503 in a form that is not ours. */
const READY_SCHEMA = {
  title: 'Readiness',
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok'] },
    info: PARTS_SCHEMA,
    error: PARTS_SCHEMA,
    details: PARTS_SCHEMA,
  },
  required: ['status', 'info', 'error', 'details'],
};

type Controller = typeof HealthController | typeof MetricsController;

function describe({ prototype }: Controller, method: string, ...decorators: MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method)!;
  for (const decorate of decorators) decorate(prototype, method, descriptor);
}

/** Describes what every service serves. Not done beside the routes: only the gateway has a document, and what makes it takes long to load. */
export function describeOperators(): void {
  for (const controller of [HealthController, MetricsController]) ApiTags('health')(controller);
  describe(
    HealthController,
    'live',
    ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process is alive' }),
    ApiResponse({
      status: 200,
      description: 'The process is alive',
      content: { 'application/json': { schema: LIVE_SCHEMA } },
    }),
  );
  describe(
    HealthController,
    'ready',
    ApiOperation({
      operationId: 'getReadiness',
      summary: 'Whether the service can accept requests: log, store and blobs answer',
    }),
    ApiResponse({
      status: 200,
      description: 'The service can accept requests; `info` has each part by name',
      schema: READY_SCHEMA,
    }),
  );
  describe(
    MetricsController,
    'metrics',
    ApiOperation({ operationId: 'getMetrics', summary: 'Metrics in the Prometheus text format' }),
    ApiResponse({
      status: 200,
      description: 'Metrics in the Prometheus text format, version 0.0.4',
      content: { 'text/plain': { schema: { type: 'string' } } },
    }),
  );
}
