import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogServer } from '@lettermill/log';
import type { FastifyInstance } from 'fastify';
import { listeningUrl, type ServiceName } from '@lettermill/config';
import { PROBES, sharedProbe, type Probes } from '../health/probes';
import { refuseUnforwardedBodies } from '../internal/internal.hook';
import { loggerOf } from '../logging/logger';
import { startCountersAtZero, deadLetterLabel } from '../metrics/from.zero';
import { batchSeconds, deadLetters, eventRetries, eventsHandled } from '../metrics/metrics';
import { MeteredLog } from '../metrics/metered.log';
import { addProbe } from '../metrics/probes';
import { CLOCK, type Clock, type Platform } from '../platform/platform';
import { PlatformModule } from '../platform/platform.module';
import { traceBatch } from '../tracing/batch.spans';
import { startTracing } from '../tracing/tracing';
import { Draining } from '../health/draining';
import { closeHttp, type HttpOptions } from './http.server';
import { neededTopics } from './needed.topics';
import type { OnFatal } from './process';
import { createWebApp, listenOn } from './web.app';

/** Most records of a batch: enough to share a commit, few enough to take little memory. */
const MAX_BATCH_RECORDS = 200;

export interface ServiceDefinition {
  name: ServiceName;
  module: Type | DynamicModule;
  /** In a process shared with other services: how long its events may wait so that theirs go first. For a service that nobody waits for. */
  lingerMs?: number;
  /** Called before the server listens, for further hooks, documents and the like. */
  furnish?(app: NestFastifyApplication): void | Promise<void>;
  /** Called before the first event is delivered; if it rejects, none is. `onFatal` may end the process at any later time. */
  beforeConsuming?(app: NestFastifyApplication, onFatal: OnFatal): Promise<void>;
}

/** One service: a Nest application with its own consumer group and its own HTTP server. */
export class Service {
  private removeProbe = () => {};

  private constructor(
    private readonly definition: ServiceDefinition,
    readonly app: NestFastifyApplication,
    private readonly platform: Platform,
    private readonly consumers: LogServer,
    private readonly onFatal: OnFatal,
  ) {}

  get name(): ServiceName {
    return this.definition.name;
  }

  static async create(definition: ServiceDefinition, shared: Platform, onFatal: OnFatal): Promise<Service> {
    const { name } = definition;
    const platform = { ...shared, log: new MeteredLog(shared.log, name) };
    await startTracing(shared.logger);
    const logger = loggerOf(name, platform.logger);
    const consumers = new LogServer({
      log: platform.log,
      group: name,
      logger,
      observer: observerOf(name),
      maxRecords: MAX_BATCH_RECORDS,
      lingerMs: definition.lingerMs,
    });
    const probes: Probes = {
      log: sharedProbe(() => platform.log.check(neededTopics(name, consumers.topics))),
      store: sharedProbe(() => platform.storage.check()),
      blobs: sharedProbe(() => platform.blobs.check()),
    };
    const http: HttpOptions = {
      service: name,
      logger: platform.logger,
      maxBodyBytes: platform.config.maxBodyBytes,
      behindGateway: name !== 'gateway',
      shared: platform.config.profile === 'embedded',
    };
    const app = await createWebApp(http, [
      PlatformModule.of(platform, name, (topics, ms) => consumers.caughtUp(topics, ms), probes),
      definition.module,
    ]);
    app.connectMicroservice({ strategy: consumers }, { inheritAppConfig: true });
    if (http.behindGateway) {
      const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
      refuseUnforwardedBodies(fastify, platform.config.internalSecret, app.get<Clock>(CLOCK));
    }
    await definition.furnish?.(app);
    return new Service(definition, app, platform, consumers, onFatal);
  }

  /** Starts the consumers, runs `beforeListening`, and opens the HTTP server; resolves to its address. */
  async start(host: string, port: number, beforeListening?: () => Promise<void>): Promise<string> {
    await this.definition.beforeConsuming?.(this.app, this.onFatal);
    await this.app.startAllMicroservices();
    startCountersAtZero(this.name, this.consumers.topics);
    const { log } = this.platform;
    const needs = this.app.get<Probes>(PROBES);
    this.removeProbe = addProbe({ service: this.name, log, topics: this.consumers.topics, needs });
    await this.app.init();
    await beforeListening?.();
    await listenOn(this.app, host, port);
    return this.url();
  }

  url(): string {
    const { address, port } = this.app.getHttpServer().address() as { address: string; port: number };
    return listeningUrl(address, port);
  }

  /** Ends readiness. */
  drain(): void {
    this.app.get(Draining).begin();
  }

  /** Shuts down in order: accepts no new requests, answers those in progress (within `graceMs`), finishes work in progress. */
  async close(graceMs: number): Promise<void> {
    this.drain();
    this.removeProbe();
    await closeHttp(this.app, graceMs);
  }
}

function observerOf(service: string): ConstructorParameters<typeof LogServer>[0]['observer'] {
  return {
    onBatch: (events) => traceBatch(service, events),
    onHandled: (topic, _count, seconds, types) => {
      for (const [type, count] of types) eventsHandled.inc({ service, topic, type }, count);
      batchSeconds.observe({ service, topic }, seconds);
    },
    onDeadLetter: (topic, code) => deadLetters.inc({ service, topic, code: deadLetterLabel(code) }),
    onRetry: (topic, code) => eventRetries.inc({ service, topic, code }),
  };
}
