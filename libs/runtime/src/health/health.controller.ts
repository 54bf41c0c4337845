import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import {
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

/** Live: the event loop runs. Ready: every dependency answers within a second, and the service is not shutting down. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly draining: Draining,
    @Inject(PROBES) private readonly probes: Probes,
  ) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
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
