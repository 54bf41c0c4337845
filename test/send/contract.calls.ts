import { CAMPAIGN_ID, CAMPAIGNS } from './contract.cases';
import { undocumented } from '../installations/documented';
import { installed } from '../installations/installed';
import { API_KEY, waitFor, type Ack, type Answer, type Lettermill, type Problem } from '../installations/lettermill';

export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const faultsOf = ({ body }: Answer<Problem>) =>
  (body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);

/** Status and code of a refusal, after checking that it has all that it must have. */
export function refusal({ status, headers, body }: Answer<Problem>): [number, string] {
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(body.status).toBe(status);
  expect(body.type).toMatch(/^https:\/\/\S+#[a-z_0-9]+$/);
  expect(body).toMatchObject({ title: expect.any(String), instance: '/v2/send/email' });
  expect(body).toMatchObject({ detail: expect.stringMatching(/.{8}/), request_id: expect.stringMatching(UUID_V7) });
  return [status, body.code];
}

/** The send call of a product with the campaigns of the cases; counts the messages that it accepted. */
export class ContractCalls {
  acceptedMessages = 0;
  private campaignId = '';

  private constructor(readonly lettermill: Lettermill) {}

  /** Runs during all tests of the calling suite. */
  static installed(): ContractCalls {
    const calls = new ContractCalls(installed({ RATE_LIMIT: '100000/60' }));
    beforeAll(() => calls.launch());
    return calls;
  }

  readonly post = async (
    body: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer<Ack & Problem>> => {
    const answer = await fetch(`${this.lettermill.url}/v2/send/email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const parsed = (await answer.json()) as Ack & Problem;
    const result = { status: answer.status, headers: answer.headers, body: parsed };
    expect(undocumented('POST', '/v2/send/email', result)).toEqual([]);
    if (answer.status === 202) this.acceptedMessages += parsed.messages.length;
    return result;
  };

  /** Sends a lone surrogate in a text as an escape, everything else as it is. */
  readonly send = (value: unknown, headers?: Record<string, string>) =>
    this.post(JSON.stringify(value).replaceAll(CAMPAIGN_ID, this.campaignId), headers);

  /** Expects exactly as many messages as were accepted. */
  async expectAccepted(): Promise<void> {
    const enough = async () => ((await this.count()) >= this.acceptedMessages ? true : undefined);
    await waitFor(enough, 'every accepted message');
    expect(await this.count()).toBe(this.acceptedMessages);
  }

  private async launch(): Promise<void> {
    for (const slug of CAMPAIGNS) {
      const { body } = await this.lettermill.launch(slug);
      if (slug === 'order') this.campaignId = body.id as string;
    }
  }

  private async count(): Promise<number> {
    return (await this.lettermill.messages()).length;
  }
}
