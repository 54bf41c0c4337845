import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import { EVENT_LOG, type EventLog } from '@lettermill/log';
import { unavailable } from '@lettermill/problems';
import { STORAGE, type Storage } from '@lettermill/storage';
import { Draining } from '../service/draining';

const PATIENCE_MS = 1000;

function within(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Live: the process turns. Ready: log, store and blobs answer within a second, and it is not on its way out. */
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly draining: Draining,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(STORAGE) private readonly storage: Storage,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'Is the process alive' })
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  @HealthCheck()
  @ApiOperation({ summary: 'Can it take work: log, store and blobs answer' })
  async ready(): Promise<HealthCheckResult> {
    try {
      return await this.check();
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const { error: down } = error.getResponse() as { error: HealthIndicatorResult };
      const details = Object.entries(down).map(([name, { detail }]) => `${name}: ${String(detail)}`);
      throw unavailable(details.join('; '));
    }
  }

  private check(): Promise<HealthCheckResult> {
    return this.health.check([
      () =>
        this.answers('process', () =>
          this.draining.active ? Promise.reject(new Error('draining')) : Promise.resolve(),
        ),
      () => this.answers('log', () => this.log.check()),
      () => this.answers('store', () => this.storage.check()),
      () => this.answers('blobs', () => this.blobs.check()),
    ]);
  }

  private async answers(name: string, check: () => Promise<void>): Promise<HealthIndicatorResult> {
    const indicator = this.indicator.check(name);
    try {
      await within(check(), PATIENCE_MS);
      return indicator.up();
    } catch (error) {
      return indicator.down({ detail: (error as Error).message });
    }
  }
}
