import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { OWNERS, SERVICES, type ServiceName } from '@lettermill/config';
import { deleteClusterData } from './cluster.data';
import { freePort } from './free.port.mjs';
import type { Installation } from './installation';
import { freeze, Process } from './process';

export interface ClusterOptions {
  /** Number of processes of each service; one by default. */
  replicas?: Partial<Record<ServiceName, number>>;
}

interface Slot {
  service: ServiceName;
  port: number;
  process?: Process;
  /** Output of earlier processes of this slot. */
  earlierOutput: string;
}

/** The cluster profile: the services as processes of their own, on Kafka and MongoDB, with topics and a database to themselves. */
export class Cluster implements Installation {
  readonly dataDir = '';
  readonly namespace = `e2e-${randomUUID().slice(0, 8)}`;

  private constructor(
    private readonly slots: Slot[],
    private readonly environment: Record<string, string>,
    private readonly silentHop: Server,
  ) {}

  static async create(environment: Record<string, string>, { replicas = {} }: ClusterOptions = {}): Promise<Cluster> {
    const slots: Slot[] = [];
    for (const service of SERVICES) {
      for (let i = 0; i < (replicas[service] ?? 1); i += 1)
        slots.push({ service, port: await freePort(), earlierOutput: '' });
    }
    // The default next hop accepts connections and never says a word.
    const silentHop = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silentHop, 'listening');
    silentHop.unref();
    return new Cluster(slots, environment, silentHop);
  }

  get port(): number {
    return this.slot('gateway').port;
  }

  get ended(): Promise<number | null> {
    return this.slot('gateway').process?.exitCode ?? Promise.resolve(null);
  }

  get output(): string {
    return this.slots.map(({ earlierOutput, process }) => earlierOutput + (process?.output ?? '')).join('');
  }

  async start(): Promise<void> {
    for (const slot of this.slots) slot.earlierOutput = '';
    for (const slot of this.slots) this.startProcess(slot);
    await Promise.all(this.slots.map((slot) => this.waitUntilReady(slot)));
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const codes = await Promise.all(this.slots.map(({ process }) => process?.stop(signal) ?? null));
    return codes.find((code) => code !== 0) ?? (codes.includes(null) ? null : 0);
  }

  /** Ends the first process of a service and starts it again; resolves when it is ready. */
  async restart(service: ServiceName, signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const code = await this.stopOne(service, signal);
    this.startOne(service);
    await this.waitUntilReady(this.slot(service));
    return code;
  }

  stopOne(service: ServiceName, signal: NodeJS.Signals, replica = 0): Promise<number | null> {
    return this.slot(service, replica).process!.stop(signal);
  }

  /** Resolves to the exit code when it has ended by itself. */
  endOfOne(service: ServiceName, replica = 0): Promise<number | null> {
    return this.slot(service, replica).process!.exitCode;
  }

  /** Freezes one process for so long: its connections stay open, but nothing comes over them. */
  freezeOne(service: ServiceName, ms: number, replica = 0): Promise<void> {
    return freeze(this.slot(service, replica).process!.pid, ms);
  }

  /** Starts it without waiting. */
  startOne(service: ServiceName, replica = 0): void {
    this.startProcess(this.slot(service, replica));
  }

  /** Resolves when it is ready. */
  waitForOne(service: ServiceName, replica = 0): Promise<void> {
    return this.waitUntilReady(this.slot(service, replica));
  }

  /** Address of a service, to bypass the gateway, or of one of several gateways. */
  url(service: ServiceName, replica = 0): string {
    const slots = this.slotsOf(service);
    return `http://127.0.0.1:${slots[replica % slots.length]!.port}`;
  }

  async destroy(): Promise<void> {
    await this.stop('SIGKILL');
    this.silentHop.close();
    await deleteClusterData(this.namespace, this.environment);
  }

  private slot(service: ServiceName, replica = 0): Slot {
    return this.slotsOf(service)[replica]!;
  }

  private slotsOf(service: ServiceName): Slot[] {
    return this.slots.filter((slot) => slot.service === service);
  }

  private startProcess(slot: Slot): void {
    slot.earlierOutput += slot.process?.output ?? '';
    slot.process = new Process([process.execPath, `dist/apps/${slot.service}/src/main.js`], this.environmentOf(slot));
  }

  private async waitUntilReady(slot: Slot): Promise<void> {
    await slot.process!.waitUntil(async () => {
      const answer = await fetch(`http://127.0.0.1:${slot.port}/health/ready`).catch(() => undefined);
      return answer?.status === 200;
    }, 120_000);
  }

  private environmentOf(slot: Slot): NodeJS.ProcessEnv {
    // Each gateway asks a replica of its own.
    const replica = this.slotsOf(slot.service).indexOf(slot);
    const { NODE_ENV: _, ...inherited } = process.env;
    const all: NodeJS.ProcessEnv = { ...inherited, ...this.environment };
    const database = new URL(all.MONGODB_URI!);
    database.pathname = `/${this.namespace}`;
    const { port: hopPort } = this.silentHop.address() as AddressInfo;
    return {
      ...inherited,
      PORT: String(slot.port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      KAFKA_PARTITIONS: '4',
      INTERNAL_SECRET: 'a secret that all five services share',
      ...Object.fromEntries(OWNERS.map((owner) => [`${owner.toUpperCase()}_URL`, this.url(owner, replica)])),
      SMTP_URL: `smtp://127.0.0.1:${hopPort}?tls=off`,
      ...this.environment,
      KAFKA_TOPIC_PREFIX: `${this.namespace}-`,
      MONGODB_URI: database.href,
    };
  }
}
