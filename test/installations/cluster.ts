import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { forget } from './cluster.data';
import { freePort } from './free.port.mjs';
import type { Installation } from './installation';
import { freeze, Process } from './process';

export const SERVICES = ['gateway', 'contacts', 'renderer', 'dispatch', 'tracker'] as const;
export type Service = (typeof SERVICES)[number];

export interface ClusterOptions {
  /** Number of processes of each service; one by default. */
  replicas?: Partial<Record<Service, number>>;
}

interface Seat {
  service: Service;
  port: number;
  process?: Process;
  /** Output of earlier processes of this seat. */
  said: string;
}

/** The cluster profile: the services as processes of their own, on Kafka and MongoDB, with topics and a database to themselves. */
export class Cluster implements Installation {
  readonly dataDir = '';
  readonly own = `e2e-${randomUUID().slice(0, 8)}`;

  private constructor(
    private readonly seats: Seat[],
    private readonly environment: Record<string, string>,
    private readonly hop: Server,
  ) {}

  static async create(environment: Record<string, string>, { replicas = {} }: ClusterOptions = {}): Promise<Cluster> {
    const seats: Seat[] = [];
    for (const service of SERVICES) {
      for (let i = 0; i < (replicas[service] ?? 1); i += 1) seats.push({ service, port: await freePort(), said: '' });
    }
    // The default next hop accepts connections and never says a word.
    const hop = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(hop, 'listening');
    hop.unref();
    return new Cluster(seats, environment, hop);
  }

  get port(): number {
    return this.seat('gateway').port;
  }

  get ended(): Promise<number | null> {
    return this.seat('gateway').process?.end ?? Promise.resolve(null);
  }

  get pid(): number {
    return this.seat('gateway').process!.pid;
  }

  get output(): string {
    return this.seats.map(({ said, process }) => said + (process?.output ?? '')).join('');
  }

  async start(): Promise<void> {
    for (const seat of this.seats) seat.said = '';
    for (const seat of this.seats) this.run(seat);
    await Promise.all(this.seats.map((seat) => this.ready(seat)));
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const codes = await Promise.all(this.seats.map(({ process }) => process?.stop(signal) ?? null));
    return codes.find((code) => code !== 0) ?? (codes.includes(null) ? null : 0);
  }

  /** Ends one process (by default the first of its service) and starts it again; resolves when it is ready. */
  async restart(service: Service, signal: NodeJS.Signals = 'SIGKILL', replica = 0): Promise<number | null> {
    const code = await this.stopOne(service, signal, replica);
    this.runOne(service, replica);
    await this.ready(this.seat(service, replica));
    return code;
  }

  stopOne(service: Service, signal: NodeJS.Signals, replica = 0): Promise<number | null> {
    return this.seat(service, replica).process!.stop(signal);
  }

  /** Freezes one process for so long: its connections stay open, but nothing comes over them. */
  freezeOne(service: Service, ms: number, replica = 0): Promise<void> {
    return freeze(this.seat(service, replica).process!.pid, ms);
  }

  /** Starts it without waiting. */
  runOne(service: Service, replica = 0): void {
    this.run(this.seat(service, replica));
  }

  /** Address of a service, to bypass the gateway. */
  url(service: Service, replica = 0): string {
    return `http://127.0.0.1:${this.seat(service, replica).port}`;
  }

  async destroy(): Promise<void> {
    await this.stop('SIGKILL');
    this.hop.close();
    await forget(this.own, this.environment);
  }

  private seat(service: Service, replica = 0): Seat {
    return this.seats.filter((seat) => seat.service === service)[replica]!;
  }

  private run(seat: Seat): void {
    seat.said += seat.process?.output ?? '';
    seat.process = new Process([process.execPath, `dist/apps/${seat.service}/src/main.js`], this.environmentOf(seat));
  }

  private async ready(seat: Seat): Promise<void> {
    await seat.process!.until(async () => {
      const answer = await fetch(`http://127.0.0.1:${seat.port}/health/ready`).catch(() => undefined);
      return answer?.status === 200;
    }, 120_000);
  }

  private environmentOf({ port }: Seat): NodeJS.ProcessEnv {
    const { NODE_ENV: _, ...inherited } = process.env;
    const all: NodeJS.ProcessEnv = { ...inherited, ...this.environment };
    const database = new URL(all.MONGODB_URI!);
    database.pathname = `/${this.own}`;
    const { port: hopPort } = this.hop.address() as AddressInfo;
    return {
      ...inherited,
      ...{ PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
      ...{ KAFKA_PARTITIONS: '4', INTERNAL_SECRET: 'a secret that all five services share' },
      ...{ CONTACTS_URL: this.url('contacts'), RENDERER_URL: this.url('renderer') },
      ...{ DISPATCH_URL: this.url('dispatch'), TRACKER_URL: this.url('tracker') },
      SMTP_URL: `smtp://127.0.0.1:${hopPort}?tls=off`,
      ...this.environment,
      ...{ KAFKA_TOPIC_PREFIX: `${this.own}-`, MONGODB_URI: database.href },
    };
  }
}
