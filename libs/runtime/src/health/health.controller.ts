import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags, type ApiResponseOptions } from '@nestjs/swagger';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { withTimeout } from '@lettermill/concurrency';
import { unavailable } from '@lettermill/problems';
import { Draining } from './draining';
import { PROBES, type Probe, type Probes } from './probes';

const PROBE_TIMEOUT_MS = 1000;

/** The titles are names among the schemas of the OpenAPI document. */
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
const READY_RESPONSE: ApiResponseOptions = {
  status: 200,
  description: 'The service can accept requests; `info` has each part by name',
  schema: {
    title: 'Readiness',
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['ok'] },
      info: PARTS_SCHEMA,
      error: PARTS_SCHEMA,
      details: PARTS_SCHEMA,
    },
    required: ['status', 'info', 'error', 'details'],
  },
};

/** Live: the event loop runs. Ready: every dependency answers within a second, and the service is not shutting down. */
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly draining: Draining,
    @Inject(PROBES) private readonly probes: Probes,
  ) {}

  @Get('live')
  @ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process is alive' })
  @ApiResponse({
    status: 200,
    description: 'The process is alive',
    content: {
      'application/json': {
        schema: LIVE_SCHEMA,
      },
    },
  })
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Whether the service can accept requests: log, store and blobs answer',
  })
  @ApiResponse(READY_RESPONSE)
  async ready(): Promise<HealthCheckResult> {
    try {
      return await this.checkAll();
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { error: down } = error.getResponse() as { error: HealthIndicatorResult };
      const details = Object.entries(down).map(([name, { detail }]) => `${name}: ${String(detail)}`);
      throw unavailable(details.join('; '));
    }
  }

  private checkAll(): Promise<HealthCheckResult> {
    return this.health.check([
      () =>
        this.checkProbe('process', () =>
          this.draining.active ? Promise.reject(new Error('draining')) : Promise.resolve(),
        ),
      ...Object.entries(this.probes).map(
        ([name, probe]) =>
          () =>
            this.checkProbe(name, probe),
      ),
    ]);
  }

  private async checkProbe(name: string, probe: Probe): Promise<HealthIndicatorResult> {
    const indicator = this.indicator.check(name);
    try {
      await withTimeout(PROBE_TIMEOUT_MS, probe());
      return indicator.up();
    } catch (error) {
      return indicator.down({ detail: (error as Error).message });
    }
  }
}
