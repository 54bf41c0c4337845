import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free.port.mjs';
import type { Installation } from './installation';
import { Process } from './process';

const STANDALONE = [process.execPath, 'dist/apps/standalone/src/main.js'];

/** The embedded profile: one process, on files. */
export class Embedded implements Installation {
  private process: Process | undefined;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    private readonly environment: Record<string, string>,
  ) {}

  static async create(environment: Record<string, string>): Promise<Embedded> {
    const dataDir = await mkdtemp(join(tmpdir(), 'lettermill-e2e-'));
    return new Embedded(dataDir, await freePort(), environment);
  }

  get output(): string {
    return this.process?.output ?? '';
  }

  get ended(): Promise<number | null> {
    return this.process?.exitCode ?? Promise.resolve(null);
  }

  /** `command` is as a user would type it; by default it starts the built program. */
  async start(command = STANDALONE): Promise<void> {
    const { NODE_ENV: _, KAFKA_BROKERS: _k, MONGODB_URI: _m, ...inherited } = process.env;
    const own = { PORT: String(this.port), DATA_DIR: this.dataDir, LOG_LEVEL: 'warn' };
    const started = new Process(command, { ...inherited, ...own, ...this.environment });
    this.process = started;
    await started.waitUntil(() => started.output.includes('Send your first message'));
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    return (await this.process?.stop(signal)) ?? null;
  }

  async destroy(): Promise<void> {
    await this.stop('SIGKILL');
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
