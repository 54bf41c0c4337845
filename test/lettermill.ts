import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const KEY = 'e2e-key-of-account-default';
const ROOT = join(__dirname, '..');

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

export interface Ack {
  request_id: string;
  messages: { message_id: string; contact_key: Record<string, string>; external_message_id?: string }[];
}

export interface Message {
  message_id: string;
  state: string;
  reason: { code: string; detail: string } | null;
  timeline: { type: string; at: string }[];
  attempts: { outcome: string; reply: { code: number } | null; at: string }[];
  [more: string]: unknown;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The product as a user runs it: a process of its own, spoken to over HTTP alone. */
export class Lettermill {
  private child: ChildProcess | undefined;
  /** Resolves with the exit code (null after a signal) when the process of the last start has ended, by itself or not. */
  ended: Promise<number | null> = Promise.resolve(null);
  output = '';
  url = '';

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    private readonly environment: Record<string, string>,
  ) {}

  static async create(environment: Record<string, string> = {}): Promise<Lettermill> {
    const dataDir = await mkdtemp(join(tmpdir(), 'lettermill-e2e-'));
    return new Lettermill(dataDir, await freePort(), environment);
  }

  static async start(environment: Record<string, string> = {}): Promise<Lettermill> {
    const lettermill = await Lettermill.create(environment);
    await lettermill.start();
    return lettermill;
  }

  /** Starts it, again or for the first time; `command` as a user would type it, else the built process. */
  async start(command: string[] = [process.execPath, 'dist/apps/standalone/src/main.js']): Promise<void> {
    const { NODE_ENV: _, KAFKA_BROKERS: _k, MONGODB_URI: _m, ...inherited } = process.env;
    this.output = '';
    const child = spawn(command[0]!, command.slice(1), {
      cwd: ROOT,
      env: {
        ...inherited,
        PORT: String(this.port),
        DATA_DIR: this.dataDir,
        BOOTSTRAP_API_KEY: KEY,
        LOG_LEVEL: 'warn',
        ...this.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    await new Promise<void>((resolve, reject) => {
      const ready = () => {
        if (!this.output.includes('Send your first message')) return;
        child.stdout.off('data', ready);
        resolve();
      };
      child.stdout.on('data', ready);
      child.once('exit', (code) => reject(new Error(`it ended with ${code} before it was ready:\n${this.output}`)));
    });
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /** Sends a signal and waits for the end; answers the exit code (null when the signal itself ended it). */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    // What npm has started ends with it.
    if (signal === 'SIGKILL') process.kill(-child.pid!, signal);
    else child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  async destroy(): Promise<void> {
    await this.stop('SIGKILL');
    await rm(this.dataDir, { recursive: true, force: true });
  }

  get pid(): number {
    return this.child!.pid!;
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, headers: answer.headers, body: (json ? JSON.parse(text) : text) as T };
  }

  send(body: unknown, headers?: Record<string, string>): Promise<Answer<Ack>> {
    return this.call<Ack>('POST', '/v2/send/email', body, headers);
  }

  async launch(slug: string, campaign: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('PUT', `/v2/campaigns/${slug}`, {
      from: { email: 'billing@shop.example', name: 'Shop' },
      subject: 'Hello {{ first_name }}',
      text: 'Hello {{ first_name }}, your order is on its way.',
      ...campaign,
    });
  }

  message(id: string): Promise<Answer<Message>> {
    return this.call<Message>('GET', `/v2/messages/${id}`);
  }

  /** The message once it is in one of these states. */
  async until(id: string, ...states: string[]): Promise<Message> {
    return waitFor(
      async () => {
        const { body } = await this.message(id);
        return states.includes(body.state) ? body : undefined;
      },
      `message ${id} in state ${states.join(' or ')}`,
    );
  }
}

/** Looks until there is something, 20 s at most unless told. */
export async function waitFor<T>(
  look: () => T | undefined | Promise<T | undefined>,
  what: string,
  ms = 20_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
