import { Global, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { Received } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { ProblemFilter } from '@lettermill/problems';
import { CAUGHT_UP, CLOCK, CONFIG, INTERNAL_HEADER, signInternal } from '@lettermill/runtime';
import { STORAGE, type SqlDatabase } from '@lettermill/storage';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { TrackerModule } from '../tracker.module';

const SECRET = 'a secret that is long enough for a test';

/** The tracker on a database of its own, with what is around it replaced. */
export class TrackerService {
  readonly waits: [string[], number][] = [];
  readonly now = Date.parse('2026-03-01T12:00:00Z');
  /** What happens while a reader waits to be caught up. */
  whileWaiting: () => Promise<void> = () => Promise.resolve();
  app!: NestFastifyApplication;

  private constructor(
    readonly database: SqlDatabase,
    private readonly closeDatabase: () => Promise<void>,
  ) {}

  static async start(): Promise<TrackerService> {
    const { database, close } = await openDatabase();
    const service = new TrackerService(database, close);
    const testing = Test.createTestingModule({ imports: [service.surroundings(), TrackerModule] });
    service.app = (await testing.compile()).createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    service.app.useGlobalFilters(new ProblemFilter());
    await service.app.init();
    await service.app.getHttpAdapter().getInstance().ready();
    return service;
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.closeDatabase();
  }

  batch(events: Received[]): EventBatch {
    return { topic: events[0]?.topic ?? '', events, heartbeat: () => Promise.resolve(), stopping: false };
  }

  async get(path: string, accountId = 'a'): Promise<{ status: number; body: unknown }> {
    const token = signInternal(SECRET, { accountId, method: 'GET', path }, this.now);
    const response = await this.app.inject({ method: 'GET', url: path, headers: { [INTERNAL_HEADER]: token } });
    return { status: response.statusCode, body: JSON.parse(response.body) as unknown };
  }

  private surroundings() {
    const caughtUp = async (topics: string[], timeoutMs: number) => {
      this.waits.push([topics, timeoutMs]);
      await this.whileWaiting();
      return true;
    };
    const providers = [
      { provide: CONFIG, useValue: { internalSecret: SECRET } },
      { provide: CLOCK, useValue: () => this.now },
      { provide: STORAGE, useValue: { kind: 'libsql', database: this.database } },
      { provide: CAUGHT_UP, useValue: caughtUp },
    ];
    @Global()
    @Module({ providers, exports: providers })
    class Surroundings {}
    return Surroundings;
  }
}
