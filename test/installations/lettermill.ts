import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from './cluster';
import { Embedded } from './embedded';
import { undocumented } from './documented';
import { PROFILE, type Installation } from './installation';

export { PROFILE } from './installation';
export { freePort } from './free.port.mjs';
const WHERE_DOCUMENTED = 'The document is docs/openapi.json. `npm run docs` writes it from the routes.';
export const API_KEY = 'e2e-key-of-account-default';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

export interface Ack {
  request_id: string;
  messages: { message_id: string; contact_key: Record<string, string>; external_message_id?: string }[];
}

/** The body of every refusal (RFC 9457). */
export interface Problem {
  type: string;
  status: number;
  code: string;
  detail: string;
  instance: string;
  error_count?: number;
  errors?: { pointer: string; code: string; detail: string; message_id?: string }[];
}

export interface Message {
  message_id: string;
  state: string;
  reason: { code: string; detail: string } | null;
  timeline: { type: string; at: string }[];
  attempts: { outcome: string; reply: { code: number } | null; at: string }[];
  [more: string]: unknown;
}

interface Page {
  data: Message[];
  next_cursor: string | null;
}

/** The product as a user runs it: in processes of its own, called only over HTTP. LETTERMILL_PROFILE selects the profile. */
export class Lettermill {
  url = '';
  /** Milliseconds after which a call is given up; undefined: never. */
  callTimeoutMs: number | undefined;

  /** Uses an existing installation, or none until `install` is called. */
  constructor(private installed?: Installation) {}

  static async create(environment: Record<string, string> = {}): Promise<Lettermill> {
    const lettermill = new Lettermill();
    await lettermill.install(environment);
    return lettermill;
  }

  static async start(environment: Record<string, string> = {}): Promise<Lettermill> {
    const lettermill = await Lettermill.create(environment);
    try {
      await lettermill.start();
      return lettermill;
    } catch (error) {
      await lettermill.destroy();
      throw error;
    }
  }

  async install(environment: Record<string, string> = {}): Promise<void> {
    const all = { BOOTSTRAP_API_KEY: API_KEY, ...environment };
    this.installed = await (PROFILE === 'cluster' ? Cluster.create(all) : Embedded.create(all));
  }

  get installation(): Installation {
    if (!this.installed) throw new Error('Lettermill is not installed yet');
    return this.installed;
  }

  /** Starts it, again or for the first time. `command` is as a user would type it; by default it starts the built program. */
  async start(command?: string[]): Promise<void> {
    await this.installation.start(command);
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /** Sends a signal and waits for the end; resolves to the exit code (null if the signal itself ended it). */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    return this.installation.stop(signal);
  }

  async destroy(): Promise<void> {
    await this.installed?.destroy();
  }

  get dataDir(): string {
    return this.installation.dataDir;
  }

  get port(): number {
    return this.installation.port;
  }

  /** Resolves to the exit code (null after a signal) when the process of the last start has ended, by itself or not. */
  get ended(): Promise<number | null> {
    return this.installation.ended;
  }

  get output(): string {
    return this.installation.output;
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
        authorization: `Bearer ${API_KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      signal: this.callTimeoutMs === undefined ? null : AbortSignal.timeout(this.callTimeoutMs),
    });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.includes('json');
    const result = {
      status: answer.status,
      headers: answer.headers,
      body: (json && text ? JSON.parse(text) : text) as T,
    };
    const differences = undocumented(method, path, result);
    if (differences.length > 0) throw new Error([...differences, WHERE_DOCUMENTED].join('\n'));
    return result;
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

  /** Every message that the account has, newest first; only those that match, if there are `filters` (`state=sent`). */
  async messages(filters = ''): Promise<Message[]> {
    const messages: Message[] = [];
    for (let cursor = ''; ;) {
      const { body } = await this.call<Page>('GET', `/v2/messages?limit=100&${filters}${cursor}`);
      messages.push(...body.data);
      if (body.next_cursor === null) return messages;
      cursor = `&cursor=${body.next_cursor}`;
    }
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

/** If one of the five processes is killed, others take over its claims when its lease expires, a minute later. */
const WAIT_TIMEOUT_MS = PROFILE === 'cluster' ? 100_000 : 60_000;

/** Calls `poll` until it returns something; by default for at most a minute (100 s with the cluster profile). */
export async function waitFor<T>(
  poll: () => T | undefined | Promise<T | undefined>,
  what: string,
  timeoutMs = WAIT_TIMEOUT_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await poll();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await pause(25);
  }
}
