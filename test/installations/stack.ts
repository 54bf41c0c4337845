import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFree } from './free.port.mjs';
import { freeze, ROOT } from './process';

/** The command that starts real servers: beside the repository, unless STACK names another one. */
const STACK_COMMAND = process.env.STACK ?? join(ROOT, '..', 'shared', 'stack', 'stack');
const COMMAND_TIMEOUT_MINUTES = 5;

export interface StackOptions {
  brokers?: 1 | 3;
}

/** Kafka and a MongoDB-protocol server of its own, which may be killed at any time. */
export class Stack {
  private constructor(
    private readonly environment: Record<string, string>,
    readonly brokers: number,
    private readonly directory: string | undefined,
  ) {}

  /** Installs it in FAULTS_STACK, where it stays, or in a new directory, which takes a minute or two longer. */
  static async start({ brokers = 1 }: StackOptions = {}): Promise<Stack> {
    const permanentDirectory = process.env.FAULTS_STACK;
    const directory = permanentDirectory ?? (await mkdtemp(join(tmpdir(), 'lettermill-stack-')));
    // The first broker listens on `firstPort` and the next port, each further broker ten ports higher.
    const firstPort = await findFreePorts(50);
    const environment = {
      LETTERMILL_STACK: directory,
      STACK_KAFKA_NODES: String(brokers),
      STACK_KAFKA_PORT: String(firstPort),
      STACK_MONGO_PORT: String(firstPort + 40),
      STACK_POSTGRES_PORT: String(firstPort + 41),
    };
    const stack = new Stack(environment, brokers, permanentDirectory ? undefined : directory);
    await stack.run('wipe');
    await stack.run('up');
    return stack;
  }

  /** The settings that the services need. */
  async settings(): Promise<{ KAFKA_BROKERS: string; MONGODB_URI: string }> {
    const text = await this.run('env');
    const value = (name: string) => new RegExp(`${name}=(.*)`).exec(text)![1]!;
    return { KAFKA_BROKERS: value('KAFKA_BROKERS'), MONGODB_URI: value('MONGODB_URI') };
  }

  /** Sends SIGKILL to `kafka`, `kafka-1` to `kafka-3`, or `mongo`. */
  async kill(server: string): Promise<void> {
    await this.run('kill', server);
  }

  /** Starts it again with its data; resolves when its port is open. */
  async revive(server: string): Promise<void> {
    await this.run('start', server);
  }

  /** Freezes it for so long: connections to it are accepted, but nothing comes over them. */
  async freeze(server: string, ms: number): Promise<void> {
    const pid = new RegExp(`^${server}\\S* up \\(pid (\\d+)\\)`, 'm').exec(await this.run('status'))![1]!;
    await freeze(Number(pid), ms);
  }

  /** Stops it in order, and starts it again. */
  async restart(server: string): Promise<void> {
    await this.run('stop', server);
    await this.revive(server);
  }

  async destroy(): Promise<void> {
    await this.run('wipe');
    if (this.directory) await rm(this.directory, { recursive: true, force: true });
  }

  private run(...args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const env = { ...process.env, ...this.environment };
      execFile(STACK_COMMAND, args, { env, timeout: COMMAND_TIMEOUT_MINUTES * 60_000 }, (error, stdout) =>
        error ? reject(new Error(`stack ${args.join(' ')}: ${error.message}`)) : resolve(stdout),
      );
    });
  }
}

/** A block below the ephemeral ports: a server that is restarted must find its port free. */
async function findFreePorts(size: number): Promise<number> {
  for (;;) {
    const firstPort = 20_000 + 50 * Math.floor(Math.random() * 200);
    const free = await Promise.all(Array.from({ length: size }, (_, i) => isFree(firstPort + i)));
    if (free.every(Boolean)) return firstPort;
  }
}
