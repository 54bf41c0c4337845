import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@lettermill/concurrency';
import { CommandFault } from '../command.fault';
import { configOf } from '../environment';

const ANSWER_MS = 60_000;
/** How often a call is made again that was refused for the moment (429, 503) or had no answer: both calls may be repeated. */
const TRIES = 20;
const LONGEST_PAUSE_S = 60;

export interface Answer {
  status: number;
  body: { code?: string; detail?: string };
}

/** Calls the gateway as a user of the API does, with one key. */
export class Gateway {
  /** It has answered: when it does not, it is waited for. */
  private answers = false;

  private constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  /** By `GATEWAY_URL` and `LETTERMILL_API_KEY`; else the process here, with its first key. Throws `CommandFault`. */
  static async of(env: NodeJS.ProcessEnv): Promise<Gateway> {
    const config = configOf(env);
    const key = config.caller.apiKey ?? config.bootstrapApiKey ?? (await keptKey(config.dataDir));
    if (!key)
      throw new CommandFault('Set LETTERMILL_API_KEY (or LETTERMILL_API_KEY_FILE) to a key of the account.', 78);
    return new Gateway(config.caller.gatewayUrl, key);
  }

  /** Answers of 500 and more, and what has none, end in a `CommandFault` once they were tried often enough; so does a bad key, at once. */
  async call<T>(method: 'GET' | 'POST', path: string): Promise<Answer & { body: T }> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.once(method, path);
      const again = !answer || answer.status === 429 || answer.status >= 500;
      if (answer && !again) return { status: answer.status, body: (await bodyOf(answer)) as T & Answer['body'] };
      if (tries === TRIES || !this.answers) throw new CommandFault(await this.unanswered(answer), 1);
      await answer?.body?.cancel();
      await pause(1000 * pauseOf(answer));
    }
  }

  private async once(method: string, path: string): Promise<Response | undefined> {
    const headers = { authorization: `Bearer ${this.key}` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(this.url + path, { method, headers, signal }).catch(() => undefined);
    this.answers ||= answer !== undefined;
    if (answer?.status === 401) throw new CommandFault(`The gateway at ${this.url} does not know the key.`, 1);
    return answer;
  }

  private async unanswered(answer: Response | undefined): Promise<string> {
    if (!answer) return `The gateway at ${this.url} can't be reached.`;
    const { detail = 'no reason given' } = await bodyOf(answer);
    return `The gateway answers ${answer.status}: ${detail}`;
  }
}

async function keptKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'api-key'), 'utf8').catch(() => undefined);
  return text?.trim();
}

async function bodyOf(answer: Response): Promise<Answer['body']> {
  return (await answer.json().catch(() => ({}))) as Answer['body'];
}

function pauseOf(answer: Response | undefined): number {
  const asked = Number(answer?.headers.get('retry-after') ?? 1);
  return Math.min(Math.max(asked || 1, 1), LONGEST_PAUSE_S);
}
