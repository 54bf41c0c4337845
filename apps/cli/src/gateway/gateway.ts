import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@lettermill/concurrency';
import { FIRST_KEY_FILE } from '@lettermill/config';
import { fetchFailure, wholeBody } from '@lettermill/web';
import { CommandFault } from '../command.fault';
import { configOf } from '../environment';
import { printable } from '../output';
import { foreignText, reasonsOf, type Answer } from './refusal';

const ANSWER_TIMEOUT_MS = 60_000;
/** Number of tries of a call that gets no answer, or one of 500 or more; all calls made here may be repeated. */
const MAX_FAILED_TRIES = 20;
/** The longest wait before the next try, in seconds, once the rate limit is reached, or for anything else. */
const MAX_PAUSE_S = { limited: 3600, other: 60 };
const CHECK_ADDRESS =
  'Is it running there? If it listens elsewhere, set GATEWAY_URL, or HOST and PORT as for the gateway.';
const SET_KEY = 'Set LETTERMILL_API_KEY (or LETTERMILL_API_KEY_FILE) to a key of the account.';

/** What only takes its time is no failed try. */
const DELAYS = {
  limited: 'The rate limit of the account is reached.',
  behind: 'Not everything that was accepted is known yet, as the tracker is behind.',
};
type Delay = keyof typeof DELAYS;

interface RawAnswer {
  status: number;
  text: string;
  retryAfter: string | null;
}

type Wait = (ms: number) => Promise<void>;
type Report = (text: string) => void;

/** Calls the gateway with one key, as any user of the API does. */
export class Gateway {
  /** Whether the gateway has ever answered: only then is it worth waiting for. */
  private hasAnswered = false;
  /** Why the last call got no answer, such as `ECONNREFUSED`, or what is wrong with a certificate. */
  private lastFailure = '';
  /** Reasons to wait that were reported already. */
  private readonly reportedReasons = new Set<string>();

  private constructor(
    readonly url: string,
    private readonly key: string,
    private readonly report: Report,
    private readonly wait: Wait,
  ) {}

  /**
   * The gateway of `GATEWAY_URL` with `LETTERMILL_API_KEY`; by default the process on this machine, with its first key. `report` tells what
   * is waited for. Throws `CommandFault`.
   */
  static async of(env: NodeJS.ProcessEnv, report: Report, wait: Wait = pause): Promise<Gateway> {
    const config = configOf(env);
    const key = config.caller.apiKey ?? config.bootstrapApiKey ?? (await firstKey(config.dataDir));
    if (!key) throw new CommandFault(SET_KEY, 78);
    return new Gateway(config.caller.gatewayUrl, key, report, wait);
  }

  /**
   * Throws `CommandFault` after too many tries without an answer or with one of 500 or more; at once if the key is refused, or the answer
   * does not come from a gateway. Waits for the rate limit, and for what is accepted but not known yet, as often as necessary.
   */
  async call<T>(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Answer & { body: T }> {
    for (let failed = 0; ;) {
      const answer = await this.tryOnce(method, path);
      const delay = delayOf(answer);
      if (answer && answer.status < 500 && !delay) return this.parseAnswer(answer);
      if (!delay) failed += 1;
      if (failed === MAX_FAILED_TRIES || !this.hasAnswered) throw new CommandFault(this.failureText(answer), 1);
      await this.waitToRetry(delay, answer);
    }
  }

  /** Reports each reason to wait only once: many calls wait at the same time, again and again. */
  private async waitToRetry(delay: Delay | undefined, answer: RawAnswer | undefined): Promise<void> {
    const ms = 1000 * pauseSeconds(answer?.retryAfter, delay === 'limited' ? MAX_PAUSE_S.limited : MAX_PAUSE_S.other);
    const why = delay ? DELAYS[delay] : this.failureText(answer);
    if (!this.reportedReasons.has(why))
      this.report(`${why} Waiting until ${new Date(Date.now() + ms).toISOString()}; this is said only once.`);
    this.reportedReasons.add(why);
    await this.wait(ms);
  }

  /** Undefined if there is no answer, or an incomplete one. */
  private async tryOnce(method: string, path: string): Promise<RawAnswer | undefined> {
    const headers = { authorization: `Bearer ${this.key}` };
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    try {
      // Redirects are not followed: they turn a POST into a GET, and a login page that answers it would count as success.
      const response = await fetch(this.url + path, { method, headers, signal, redirect: 'manual' });
      this.hasAnswered = true;
      const { status } = response;
      const text = (await wholeBody(response, signal)).toString();
      return { status, text, retryAfter: response.headers.get('retry-after') };
    } catch (error) {
      this.lastFailure = fetchFailure(error);
      return undefined;
    }
  }

  private parseAnswer<T>({ status, text }: RawAnswer): Answer & { body: T } {
    if (status === 401) throw new CommandFault(`The gateway at ${this.url} does not accept the key. ${SET_KEY}`, 1);
    const { url } = this;
    // Nothing is in it that could tell a gateway from another program.
    if (status === 204 && text === '') return { url, status, body: {} as Answer['body'] & T };
    const body = parseObject(text);
    if (body) return { url, status, body: body as Answer['body'] & T };
    throw new CommandFault(foreignText({ url, status }), 1);
  }

  private failureText(answer: RawAnswer | undefined): string {
    if (!answer) {
      const hint = this.hasAnswered ? '' : ` ${CHECK_ADDRESS}`;
      return `The gateway at ${this.url} can't be reached (${this.lastFailure}).${hint}`;
    }
    const reasons = reasonsOf(parseObject(answer.text) ?? {}) || 'no reason given.';
    return `The gateway answers ${answer.status}: ${printable(reasons)}`;
  }
}

/** Undefined if there is none. Only the owner of the file may read it: whoever may not is told so. */
async function firstKey(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, FIRST_KEY_FILE);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandFault(`The key in ${path} cannot be read (${code}). ${SET_KEY}`, 78);
  }
}

function parseObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if the answer is none that only asks for patience. */
function delayOf(answer: RawAnswer | undefined): Delay | undefined {
  if (answer?.status === 429) return 'limited';
  const isBehind = answer?.status === 503 && (parseObject(answer.text) as { code?: unknown })?.code === 'not_known_yet';
  return isBehind ? 'behind' : undefined;
}

function pauseSeconds(retryAfter: string | null | undefined, max: number): number {
  return Math.min(Math.max(Number(retryAfter) || 1, 1), max);
}
