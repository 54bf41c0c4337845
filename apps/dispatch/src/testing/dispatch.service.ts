import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleLogger, Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { BLOB_STORE } from '@lettermill/blobs';
import { decodeEvent, TOPICS, type AnyEvent, type MessageQueued } from '@lettermill/events';
import { EVENT_LOG, EventPublisher, LogUnavailable, type NewRecord } from '@lettermill/log';
import type { NextHop, SendingConfig } from '@lettermill/config';
import { CLOCK, CONFIG, INSTANCE } from '@lettermill/runtime';
import { SqlDatabase, STORAGE } from '@lettermill/storage';
import { SendingConsumer } from '../sending/sending.consumer';
import { DELIVERY_STORE, type DeliveryStore } from '../deliveries/deliveries.store';
import { DispatchModule } from '../dispatch.module';
import { Outcomes } from '../sending/outcomes';
import { SmtpPool } from '../hop/hop.pool';

const QUIET = new ConsoleLogger({ logLevels: ['error'] });

export const messageId = (n: number): string => `m${String(n).padStart(17, '0')}`;

/** A message to `name@example.com`, ready to be sent. */
export function queued(n: number, name: string, over: Partial<MessageQueued> = {}): MessageQueued {
  const email = `${name}@example.com`;
  return {
    account_id: 'default',
    message_id: messageId(n),
    campaign: { id: 'C00000000000000001', slug: 'welcome', version: 1 },
    priority: 'normal',
    on_uncertain: 'retry',
    expires_at: null,
    envelope: { from: 'shop@example.com', to: [email] },
    mail: {
      message_id: `<${messageId(n)}@mail.example.com>`,
      date: '2026-01-02T03:04:05.000Z',
      from: { email: 'shop@example.com', name: 'Shop' },
      to: { email },
      cc: [],
      subject: `Hello ${n}`,
      text: 'Hello\n',
      headers: [],
      attachments: [],
    },
    ...over,
  };
}

/** A message to a recipient of that domain. */
export function queuedFor(n: number, domain: string, over: Partial<MessageQueued> = {}): MessageQueued {
  const message = queued(n, 'ada', over);
  const email = `ada${n}@${domain}`;
  return { ...message, envelope: { ...message.envelope, to: [email] }, mail: { ...message.mail, to: { email } } };
}

/** A log that keeps records in memory and can be made unavailable. */
class MemoryLog {
  readonly events: AnyEvent[] = [];
  isUnavailable = false;

  append(records: NewRecord[]): Promise<void> {
    if (this.isUnavailable) return Promise.reject(new LogUnavailable('away'));
    this.events.push(...records.map((record) => decodeEvent({ ...record, partition: 0, position: 0 })));
    return Promise.resolve();
  }
}

/** The database file of a dispatch service; services on it start and stop. */
export class DispatchFile {
  readonly log = new MemoryLog();
  readonly blobs = new Map<string, Buffer>();
  readonly directory = mkdtempSync(join(tmpdir(), 'dispatch-'));
  private readonly services: DispatchService[] = [];

  async start(
    port: number,
    over: { instance?: string; retryDelays?: number[]; now?: () => number; sending?: Partial<SendingConfig> } = {},
  ): Promise<DispatchService> {
    const service = new DispatchService(this);
    await service.start(port, over);
    this.services.push(service);
    return service;
  }

  async remove(): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  publishedEvents(type?: AnyEvent['type']): AnyEvent[] {
    return this.log.events.filter((event) => type === undefined || event.type === type);
  }
}

/** One process of dispatch. */
export class DispatchService {
  app!: TestingModule;
  private database!: SqlDatabase;
  private stopped = false;

  constructor(private readonly file: DispatchFile) {}

  async start(
    port: number,
    {
      instance = 'one',
      retryDelays = [0.05],
      now = Date.now,
      sending = {},
    }: Parameters<DispatchFile['start']>[1] & object,
  ): Promise<void> {
    const limits = { connections: 10, hopRate: null, domainRates: new Map(), domainConcurrency: new Map() };
    this.database = new SqlDatabase(join(this.file.directory, 'dispatch.db'));
    const nextHop: NextHop = { host: '127.0.0.1', port, implicitTls: false, tls: 'off', auth: null };
    const providers = [
      {
        provide: CONFIG,
        useValue: {
          nextHop,
          retryDelays,
          retentionDays: 30,
          sending: { ...limits, ...sending },
          internalSecret: 's'.repeat(32),
          dkimKeySecret: null,
          formerDkimKeySecret: null,
          dnsServers: null,
          formerInternalSecret: null,
        },
      },
      { provide: STORAGE, useValue: { kind: 'libsql', database: this.database } },
      { provide: EVENT_LOG, useValue: this.file.log },
      { provide: INSTANCE, useValue: instance },
      { provide: CLOCK, useValue: now },
      {
        provide: BLOB_STORE,
        useValue: {
          get: (account: string, blob: string) => Promise.resolve(this.file.blobs.get(`${account} ${blob}`)),
        },
      },
      EventPublisher,
    ];
    @Global()
    @Module({ providers, exports: providers })
    class PlatformOfTests {}
    this.app = await Test.createTestingModule({ imports: [PlatformOfTests, DispatchModule] })
      .setLogger(QUIET)
      .compile();
    await this.app.init();
  }

  get store(): DeliveryStore {
    return this.app.get<DeliveryStore>(DELIVERY_STORE);
  }

  async take(...messages: MessageQueued[]): Promise<void> {
    const events = messages.map((data, position) => ({
      id: `queued/${data.message_id}`,
      type: 'MessageQueued' as const,
      source: 'renderer' as const,
      time: '2026-01-02T03:04:05.000Z',
      key: data.message_id,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      data,
      topic: TOPICS.messageQueued,
      partition: 0,
      position,
    }));
    const batch = { topic: TOPICS.messageQueued, events, heartbeat: () => Promise.resolve(), stopping: false };
    await this.app.get(SendingConsumer).on(batch);
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.app.close();
    await this.database.close();
  }

  /** Ends like a crash: nothing is recorded, given back or announced. What is left of the process is cleaned up. */
  async die(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    await this.database.close();
    await this.app.get(Outcomes).close(0);
    this.app.get(SmtpPool).close();
    await this.app.close();
  }
}

/** Waits until `holds` is true; fails with `what` after twenty seconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 20_000; waited += 10) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not within twenty seconds: ${what}`);
}
