import 'reflect-metadata';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RethrowFilter } from '@lettermill/log';
import { ProblemFilter } from '@lettermill/problems';
import { HealthModule } from '../health/health.module';
import { NestLogger } from '../logging/logger';
import { startProcessMetrics } from '../metrics/metrics';
import { MetricsController } from '../metrics/metrics.controller';
import { VERSION } from '../version';
import { furnishHttp, httpAdapter, type HttpOptions } from './http.server';

@Module({})
class WebModule {
  static of(imports: (Type | DynamicModule)[]): DynamicModule {
    return { module: WebModule, imports, controllers: [MetricsController] };
  }
}

/** An HTTP server as every process has it: health (PROBES must be provided), metrics, problems, limits, log lines. */
export async function createWebApp(
  http: HttpOptions,
  modules: (Type | DynamicModule)[],
): Promise<NestFastifyApplication> {
  startProcessMetrics(VERSION);
  const root = WebModule.of([...modules, HealthModule]);
  const app = await NestFactory.create<NestFastifyApplication>(root, httpAdapter(http), {
    logger: new NestLogger(http.logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new RethrowFilter(new ProblemFilter()));
  furnishHttp(app, http);
  return app;
}
