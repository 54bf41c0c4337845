import { Global, Module, type Provider, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { ReceivedEvent } from '@lettermill/events';
import type { EventBatch } from '@lettermill/log';
import { CAUGHT_UP, CLOCK, CONFIG, INTERNAL_HEADER, signInternal } from '@lettermill/runtime';
import { STORAGE, type SqlDatabase } from '@lettermill/storage';
import { openDatabase } from '../../../storage/src/libsql/testing/database';
import { ProblemFilter } from '../service/problem.filter';

const SECRET = 'a secret that is long enough for a test';

/** A service that owns data, on a database of its own, with its surroundings replaced. */
export class OwnerService {
  readonly waits: [string[], number][] = [];
  /** What a reader that waits to be caught up is told: whether it happened in time. */
  inTime = true;
  now = Date.parse('2026-03-01T12:00:00Z');
  /** Runs once, while a reader waits to be caught up. */
  whileWaiting: () => Promise<void> = () => Promise.resolve();
  app!: NestFastifyApplication;
  database!: SqlDatabase;
  private closeDatabase!: () => Promise<void>;

  async stop(): Promise<void> {
    await this.app.close();
    await this.closeDatabase();
  }

  batch(events: ReceivedEvent[]): EventBatch {
    return { topic: events[0]?.topic ?? '', events, heartbeat: () => Promise.resolve(), stopping: false };
  }

  /** Calls the service as the gateway does for an account. */
  async call(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    accountId = 'a',
    payload?: object,
  ): Promise<{ status: number; body: unknown }> {
    const token = signInternal(SECRET, { accountId, method, path }, this.now);
    const response = await this.app.inject({ method, url: path, headers: { [INTERNAL_HEADER]: token }, payload });
    return { status: response.statusCode, body: response.body ? (JSON.parse(response.body) as unknown) : undefined };
  }

  /** `own` are the replacements for this service, in addition to those that all have. */
  protected async open(service: Type, own: Provider[] = []): Promise<this> {
    const { database, close } = await openDatabase();
    this.database = database;
    this.closeDatabase = close;
    const testing = Test.createTestingModule({ imports: [this.surroundings(own), service] });
    this.app = (await testing.compile()).createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    this.app.useGlobalFilters(new ProblemFilter());
    await this.app.init();
    await this.app.getHttpAdapter().getInstance().ready();
    return this;
  }

  private surroundings(own: Provider[]): Type {
    const caughtUp = async (topics: string[], timeoutMs: number) => {
      this.waits.push([topics, timeoutMs]);
      const { whileWaiting } = this;
      this.whileWaiting = () => Promise.resolve();
      await whileWaiting();
      return this.inTime;
    };
    const providers: Provider[] = [
      { provide: CONFIG, useValue: { internalSecret: SECRET } },
      { provide: CLOCK, useValue: () => this.now },
      { provide: STORAGE, useValue: { kind: 'libsql', database: this.database } },
      { provide: CAUGHT_UP, useValue: caughtUp },
      ...own,
    ];
    @Global()
    @Module({ providers, exports: providers })
    class Surroundings {}
    return Surroundings;
  }
}
