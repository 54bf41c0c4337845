import type { Ack, Answer, Lettermill, Problem } from '../installations/lettermill';
import { waitFor } from '../installations/lettermill';

/** How a request is identified: by an Idempotency-Key, by external ids, or by both. */
export const MODES = ['key', 'ids', 'both'] as const;
export type Mode = (typeof MODES)[number];

/** A send call with such names, which is the same each time it is made. */
export class NamedCall {
  readonly addresses: string[];

  constructor(
    readonly name: string,
    readonly mode: Mode,
    recipients: number,
  ) {
    this.addresses = Array.from({ length: recipients }, (_, i) => `${name}-${i}@example.com`);
  }

  get ids(): string[] {
    return this.mode === 'key' ? [] : this.addresses.map((_, i) => `${this.name}.${i}`);
  }

  get body(): Record<string, unknown> {
    const to = this.addresses.map((contact_key, i) => ({ contact_key, external_message_id: this.ids[i] }));
    return { campaign: 'order', to };
  }

  get headers(): Record<string, string> {
    return this.mode === 'ids' ? {} : { 'idempotency-key': this.name };
  }

  send(lettermill: Lettermill): Promise<Answer<Ack>> {
    return lettermill.send(this.body, this.headers);
  }
}

export const isReplayed = ({ headers }: Answer<unknown>) => headers.get('idempotent-replayed') === 'true';
/** The problem of a refused call; a 422 has `errors`. */
export const problemOf = ({ body }: Answer<unknown>) => body as Required<Problem>;
export const idsOf = (ack: Ack) => ack.messages.map(({ message_id }) => message_id);

/** Waits until the hundred messages of a new request are visible; everything that was on the log before them is visible then, too. */
export async function waitUntilSeen(lettermill: Lettermill, name: string): Promise<void> {
  const { body } = await new NamedCall(name, 'key', 100).send(lettermill);
  const filter = `request_id=${body.request_id}`;
  await waitFor(async () => (await lettermill.messages(filter)).length === 100, `the messages of ${name}`);
}
