import { Global, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { BLOB_STORE } from '@lettermill/blobs';
import type { AnyEvent, Received } from '@lettermill/events';
import { EventPublisher, type EventBatch } from '@lettermill/log';
import { ProblemFilter } from '@lettermill/problems';
import { CAUGHT_UP, CLOCK, CONFIG, INTERNAL_HEADER, signInternal } from '@lettermill/runtime';
import { STORAGE, type SqlDatabase } from '@lettermill/storage';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { ContactsModule } from '../contacts.module';

const SECRET = 'a secret that is long enough for a test';

/** The contacts service on a database of its own, with what is around it replaced. */
export class ContactsService {
  readonly published: AnyEvent[][] = [];
  readonly blobs = new Map<string, Buffer>();
  readonly blobReads: string[] = [];
  readonly waits: [string[], number][] = [];
  now = Date.parse('2026-03-01T12:00:00Z');
  /** What happens while a reader waits to be caught up. */
  whileWaiting: () => Promise<void> = () => Promise.resolve();
  app!: NestFastifyApplication;

  private constructor(
    readonly database: SqlDatabase,
    private readonly closeDatabase: () => Promise<void>,
  ) {}

  static async start(): Promise<ContactsService> {
    const { database, close } = await openDatabase();
    const service = new ContactsService(database, close);
    const testing = Test.createTestingModule({ imports: [service.surroundings(), ContactsModule] });
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

  /** All that was published, in order; forgets it. */
  said(): AnyEvent[] {
    return this.published.splice(0).flat();
  }

  batch(events: Received[]): EventBatch {
    return { topic: events[0]?.topic ?? '', events, heartbeat: () => Promise.resolve(), stopping: false };
  }

  async call(method: 'GET' | 'DELETE', path: string, accountId = 'a'): Promise<{ status: number; body: unknown }> {
    const token = signInternal(SECRET, { accountId, method, path }, this.now);
    const response = await this.app.inject({ method, url: path, headers: { [INTERNAL_HEADER]: token } });
    return { status: response.statusCode, body: response.body ? (JSON.parse(response.body) as unknown) : undefined };
  }

  private surroundings() {
    const publisher = { publish: (events: AnyEvent[]) => Promise.resolve(void this.published.push(events)) };
    const blobs = {
      get: (accountId: string, blob: string) => {
        this.blobReads.push(blob);
        return Promise.resolve(this.blobs.get(`${accountId}/${blob}`));
      },
    };
    const caughtUp = async (topics: string[], timeoutMs: number) => {
      this.waits.push([topics, timeoutMs]);
      await this.whileWaiting();
      return true;
    };
    const providers = [
      { provide: CONFIG, useValue: { internalSecret: SECRET } },
      { provide: CLOCK, useValue: () => this.now },
      { provide: STORAGE, useValue: { kind: 'libsql', database: this.database } },
      { provide: BLOB_STORE, useValue: blobs },
      { provide: EventPublisher, useValue: publisher },
      { provide: CAUGHT_UP, useValue: caughtUp },
    ];
    @Global()
    @Module({ providers, exports: providers })
    class Surroundings {}
    return Surroundings;
  }
}
