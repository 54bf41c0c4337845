import 'reflect-metadata';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RethrowFilter } from '@lettermill/log';
import type { FastifyInstance } from 'fastify';
import { HealthModule } from '../health/health.module';
import { loggerOf, NestLogger } from '../logging/logger';
import { startProcessMetrics } from '../metrics/metrics';
import { MetricsController } from '../metrics/metrics.controller';
import { VERSION } from '@lettermill/version';
import { configureHttp, httpAdapter, type HttpOptions } from './http.server';
import { CanNotListen } from './plain.faults';
import { ProblemFilter } from './problem.filter';

const LISTEN_REMEDIES = new Map([
  ['EADDRINUSE', 'another program is using it; set PORT to another port'],
  ['EADDRNOTAVAIL', 'it is not an address of this machine; set HOST to another one'],
  ['EINVAL', 'no interface has it; set HOST to another address, a link-local one with its interface: fe80::1%eth0'],
  ['ENOTFOUND', 'no such name was found; set HOST to an address of this machine'],
  ['EACCES', 'this process has no right to use it; set PORT to another port'],
]);

@Module({})
class WebModule {
  static of(imports: (Type | DynamicModule)[]): DynamicModule {
    return { module: WebModule, imports, controllers: [MetricsController] };
  }
}

/** Creates the HTTP server that every process has: health (PROBES must be provided), metrics, problems, limits, log lines. */
export async function createWebApp(
  http: HttpOptions,
  modules: (Type | DynamicModule)[],
): Promise<NestFastifyApplication> {
  startProcessMetrics(VERSION);
  const root = WebModule.of([...modules, HealthModule]);
  const logger = loggerOf(http.service, http.logger);
  const app = await NestFactory.create<NestFastifyApplication>(root, httpAdapter(http), {
    logger: new NestLogger(http.logger, http.shared ? undefined : http.service),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new RethrowFilter(new ProblemFilter(logger)));
  configureHttp(app, { ...http, logger });
  return app;
}

/**
 * Listens on the port. If that fails, the error says what to do instead of the system's code. Not by Nest's `listen`, which
 * would log the failure as well.
 */
export async function listenOn(app: NestFastifyApplication, host: string, port: number): Promise<void> {
  await app.init();
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  await fastify.listen({ host, port }).catch((error: unknown) => {
    throw listenFault(error, host, port);
  });
}

/**
 * The error of a server that cannot listen; `variable` is the environment variable that sets its port. One that names a file is not about
 * the port, and is returned as it is.
 */
export function listenFault(error: unknown, host: string, port: number, variable = 'PORT'): unknown {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const remedy = path === undefined ? LISTEN_REMEDIES.get(code) : undefined;
  if (remedy === undefined) return error;
  const advice = remedy.replace(/\bPORT\b/, variable);
  return new CanNotListen(`cannot listen on port ${port} of ${host}: ${advice}`, { cause: error });
}
