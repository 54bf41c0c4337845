import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@lettermill/concurrency';
import { FIRST_KEY_FILE } from '@lettermill/runtime';
import { CommandFault } from '../command.fault';
import { configOf } from '../environment';
import { plain } from '../output';

const ANSWER_MS = 60_000;
/** Number of tries of a call that gets no answer, or one of 500 or more; all calls made here may be repeated. */
const TRIES = 20;
/** The longest wait before the next try, in seconds. Reaching the rate limit does not count as a failed try. */
const LONGEST_PAUSE_S = { limited: 3600, failed: 60 };

export interface Answer {
  status: number;
  body: { code?: string; detail?: string };
}

interface Answered {
  status: number;
  text: string;
  retryAfter: string | null;
}

type Wait = (ms: number) => Promise<void>;
type Say = (text: string) => void;

/** Calls the gateway with one key, as any user of the API does. */
export class Gateway {
  /** Whether the gateway has ever answered: only then is it worth waiting for. */
  private answers = false;
  /** Why the last call got no answer, such as `ECONNREFUSED`, or what is wrong with a certificate. */
  private lost = '';
  /** Reasons to wait that were reported already. */
  private readonly said = new Set<string>();

  private constructor(
    readonly url: string,
    private readonly key: string,
    private readonly say: Say,
    private readonly wait: Wait,
  ) {}

  /**
   * The gateway of `GATEWAY_URL` with `LETTERMILL_API_KEY`; by default the process on this machine, with its first key. `say` reports what
   * is waited for. Throws `CommandFault`.
   */
  static async of(env: NodeJS.ProcessEnv, say: Say, wait: Wait = pause): Promise<Gateway> {
    const config = configOf(env);
    const key = config.caller.apiKey ?? config.bootstrapApiKey ?? (await keptKey(config.dataDir));
    if (!key)
      throw new CommandFault('Set LETTERMILL_API_KEY (or LETTERMILL_API_KEY_FILE) to a key of the account.', 78);
    return new Gateway(config.caller.gatewayUrl, key, say, wait);
  }

  /**
   * Throws `CommandFault` after too many tries without an answer or with one of 500 or more; at once if the key is refused, or the answer
   * does not come from a gateway. Waits for the rate limit as often as necessary.
   */
  async call<T>(method: 'GET' | 'POST', path: string): Promise<Answer & { body: T }> {
    for (let failed = 0; ;) {
      const answer = await this.once(method, path);
      const limited = answer?.status === 429;
      if (answer && answer.status < 500 && !limited) return this.understood(answer);
      if (!limited) failed += 1;
      if (failed === TRIES || !this.answers) throw new CommandFault(this.unanswered(answer), 1);
      await this.rest(limited, answer);
    }
  }

  /** Reports each reason to wait only once: many calls wait at the same time, again and again. */
  private async rest(limited: boolean, answer: Answered | undefined): Promise<void> {
    const ms = 1000 * pauseOf(answer?.retryAfter, limited ? LONGEST_PAUSE_S.limited : LONGEST_PAUSE_S.failed);
    const why = limited ? 'The rate limit of the account is reached.' : this.unanswered(answer);
    if (!this.said.has(why))
      this.say(`${why} Waiting until ${new Date(Date.now() + ms).toISOString()}; this is said only once.`);
    this.said.add(why);
    await this.wait(ms);
  }

  /** Undefined if there is no answer, or an incomplete one. */
  private async once(method: string, path: string): Promise<Answered | undefined> {
    const headers = { authorization: `Bearer ${this.key}` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      // Redirects are not followed: they turn a POST into a GET, and a login page that answers it would count as success.
      const response = await fetch(this.url + path, { method, headers, signal, redirect: 'manual' });
      this.answers = true;
      const { status } = response;
      return { status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string; message?: string } };
      this.lost = cause?.code ?? cause?.message ?? name;
      return undefined;
    }
  }

  private understood<T>({ status, text }: Answered): Answer & { body: T } {
    if (status === 401) throw new CommandFault(`The gateway at ${this.url} does not accept the key.`, 1);
    const body = objectIn(text);
    if (body) return { status, body: body as Answer['body'] & T };
    throw new CommandFault(`${this.url} answers ${status}, but not like a gateway: check GATEWAY_URL.`, 1);
  }

  private unanswered(answer: Answered | undefined): string {
    if (!answer) return `The gateway at ${this.url} can't be reached (${this.lost}).`;
    const { detail = 'no reason given' } = (objectIn(answer.text) ?? {}) as Answer['body'];
    return `The gateway answers ${answer.status}: ${plain(detail)}`;
  }
}

async function keptKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, FIRST_KEY_FILE), 'utf8').catch(() => undefined);
  return text?.trim();
}

function objectIn(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function pauseOf(retryAfter: string | null | undefined, longest: number): number {
  return Math.min(Math.max(Number(retryAfter) || 1, 1), longest);
}
