import { createHash } from 'node:crypto';
import type { BlobStore, BlobLifetime } from '@lettermill/blobs';
import { decodeEvent, type AnyEvent, type ContactUpserted } from '@lettermill/events';
import { LogUnavailable, RethrowFilter, type EventBatch, type EventLog, type NewRecord } from '@lettermill/log';
import { readConfig } from '@lettermill/config';
import {
  createLogger,
  INTERNAL_HEADER,
  ProblemFilter,
  Service,
  signInternal,
  type Platform,
} from '@lettermill/runtime';
import type { SqlDatabase } from '@lettermill/storage';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import { RenderConsumer } from '../render/render.consumer';
import { RendererModule } from '../renderer.module';

const SECRET = 'a secret of the tests, long enough';

export const LAUNCH = {
  from: { email: 'shop@münchen.test', name: 'Shop' },
  subject: 'Hi {{ first_name }}',
  text: 'Dear {{ first_name }}',
  html: '<p>Dear {{ first_name }}</p>',
};

/** Keeps the records appended; rejects everything while `away`. */
class MemoryLog {
  readonly records: NewRecord[] = [];
  appends = 0;
  unavailable = false;

  append(records: NewRecord[]): Promise<void> {
    if (this.unavailable) return Promise.reject(new LogUnavailable('away'));
    this.appends += 1;
    this.records.push(...records);
    return Promise.resolve();
  }

  get events(): AnyEvent[] {
    return this.records.map((record, position) => decodeEvent({ ...record, partition: 0, position }));
  }
}

class MemoryBlobs implements Pick<BlobStore, 'put' | 'get'> {
  readonly content = new Map<string, { bytes: Buffer; keep: BlobLifetime }>();
  gets = 0;

  put(accountId: string, bytes: Buffer, keep: BlobLifetime = 'retention') {
    const blob = createHash('sha256').update(bytes).digest('hex');
    this.content.set(`${accountId}/${blob}`, { bytes, keep });
    return Promise.resolve({ blob, size: bytes.length });
  }

  get(accountId: string, blob: string) {
    this.gets += 1;
    return Promise.resolve(this.content.get(`${accountId}/${blob}`)?.bytes);
  }
}

/** The real renderer with a real database; log and blob store are in memory. */
export class RendererHarness {
  readonly log = new MemoryLog();
  readonly blobs = new MemoryBlobs();
  private constructor(
    private readonly database: SqlDatabase,
    private readonly closeDatabase: () => Promise<void>,
    private service?: Service,
  ) {}

  static async open(): Promise<RendererHarness> {
    const { database, close } = await openDatabase();
    const harness = new RendererHarness(database, close);
    await harness.start();
    return harness;
  }

  async start(settings: NodeJS.ProcessEnv = { PUBLIC_URL: 'https://mail.shop.test' }): Promise<void> {
    const environment = { INTERNAL_SECRET: SECRET, LOG_LEVEL: 'silent', ...settings };
    const config = readConfig(environment, 'standalone');
    const platform: Platform = {
      config,
      log: this.log as unknown as EventLog,
      storage: { kind: 'libsql', database: this.database, check: () => this.database.check() },
      blobs: this.blobs as unknown as BlobStore,
      logger: createLogger('silent'),
      instance: 'test',
    };
    this.service = await Service.create({ name: 'renderer', module: RendererModule }, platform, (error) => {
      throw error;
    });
    // Answers errors as problem+json, whatever other filters the application has.
    this.service.app.useGlobalFilters(new RethrowFilter(new ProblemFilter()));
    await this.service.app.init();
  }

  /** Ends the service as a restart would; the stores are kept. */
  async stop(): Promise<void> {
    await this.service?.app.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.closeDatabase();
  }

  /** Makes a call as the gateway forwards it. */
  async call(method: 'GET' | 'PUT', path: string, body?: unknown, accountId = 'a') {
    const token = signInternal(SECRET, { accountId, method, path }, Date.now());
    return this.inject(method, path, body, { [INTERNAL_HEADER]: token });
  }

  /** Launches the campaign `welcome` with these changes; returns it as messages name it. */
  async launch(changes: object = {}) {
    const { body } = await this.call('PUT', '/v2/campaigns/welcome', { ...LAUNCH, ...changes });
    return { id: body.id as string, slug: 'welcome', version: body.version as number };
  }

  async inject(method: 'GET' | 'PUT', url: string, body?: unknown, headers: Record<string, string> = {}) {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const typed = payload === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    const answer = await this.service!.app.inject({ method, url, payload, headers: typed });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  }

  /** Passes events to the consumer and returns what it published. */
  handle(...events: Partial<ContactUpserted>[]): Promise<AnyEvent[]> {
    return this.handleEvents(events.map((data, index) => causeOf(data, index)));
  }

  async handleEvents(events: object[]): Promise<AnyEvent[]> {
    const before = this.log.records.length;
    const batch = {
      topic: 'contact-upserted',
      events,
      heartbeat: () => Promise.resolve(),
      stopping: false,
    };
    await this.service!.app.get(RenderConsumer).on(batch as unknown as EventBatch);
    return this.log.events.slice(before);
  }
}

export function messageId(index: number): string {
  return `M${String(index).padStart(17, '0')}`;
}

function causeOf(data: Partial<ContactUpserted>, index: number) {
  const contact = { id: 'K00000000000000001', email: 'ada@x.test', sms: null, keys: {}, profile: {}, version: 1 };
  const event: ContactUpserted = {
    account_id: 'a',
    message_id: messageId(index),
    contact,
    request_id: 'r1',
    accepted_at: '2026-01-02T03:04:05.678Z',
    campaign: { id: '', slug: 'welcome', version: 1 },
    to: { email: 'ada@x.test', name: 'Ada' },
    ...data,
  };
  return {
    type: 'ContactUpserted',
    id: `e${index}/contact`,
    key: 'a:email:ada@x.test',
    traceparent: `00-${index}`,
    data: event,
  };
}
