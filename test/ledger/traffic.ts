import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerEntry, ClientEntry, Recipient, RequestEntry } from './entries';
import type { Journal } from './journal';
import type { MailKind } from './mail.faults';

/** How many of 1,000 messages go to each kind of recipient; the others go to recipients without faults. */
export type RecipientMix = Partial<Record<MailKind, number>>;

export interface TrafficOptions {
  messages: number;
  lanes: number;
  mix: RecipientMix;
  /** How many messages may have been requested by now. Spreads the load over the run. */
  allowed(): number;
  /** Called with the message ids by address when a request is accepted. */
  onAccepted?(accepted: Record<string, string>): void;
  /** Makes one HTTP request; rejects if no answer came. */
  call(body: unknown, headers: Record<string, string>): Promise<{ status: number; body: unknown }>;
}

const RETRY_DELAY_MS = 50;
/** Numbers of recipients of requests, in turn. */
const RECIPIENT_COUNTS = [1, 1, 1, 2, 1, 5, 1, 20, 1, 3, 1, 1, 50, 1, 1, 8];
/** One request in so many has an invalid recipient, so that all of it must be refused. */
const BAD_EVERY = 61;
const HELD_EVERY = 37;
const LETTER_EVERY = 3;
const CODE_EVERY = 5;
const EXTERNAL_EVERY = 4;
/** One request in so many is sent twice at the same time, as by a client that is not sure whether it has. */
const TWIN_EVERY = 7;
const CC_EVERY = 11;
/** The copies of a message: some are taken at once, some put off, some refused. */
const COPY_KINDS = [['cc'], ['cclater'], ['cc', 'ccrefused', 'cclater'], ['ccrefused']];

/** Campaigns of each priority, and one whose uncertain messages stay uncertain. */
function campaignOf(request: number): string {
  if (request % HELD_EVERY === 0) return 'held';
  if (request % CODE_EVERY === 0) return 'code';
  return request % LETTER_EVERY === 0 ? 'letter' : 'order';
}

/**
 * Makes requests until so many messages were accepted. Each request is in the journal before it is made, each answer after it came. A
 * request whose answer is lost is repeated, as a user would: with the same Idempotency-Key, or with its external ids.
 */
export class Traffic {
  requested = 0;
  accepted = 0;
  /** No new requests are made; those begun are repeated until they are answered. */
  stopping = false;
  stopped = false;
  private requests = 0;

  constructor(
    private readonly journal: Journal<ClientEntry>,
    private readonly options: TrafficOptions,
  ) {}

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.options.lanes }, () => this.runLane()));
  }

  /** Makes an additional request, to one recipient without faults; resolves to the address when it is accepted. */
  async sendProbe(): Promise<string> {
    const request = (this.requests += 1);
    const recipients = [{ address: `ok-${request}-probe@example.com` }];
    this.requested += 1;
    await this.sendUntilFinal({
      type: 'request',
      request,
      at: Date.now(),
      bad: false,
      campaign: 'order',
      key: randomUUID(),
      recipients,
    });
    return recipients[0]!.address;
  }

  private async runLane(): Promise<void> {
    const { messages, allowed } = this.options;
    while (!this.stopped && !this.stopping && this.requested < messages) {
      if (this.requested >= allowed()) await pause(RETRY_DELAY_MS);
      else await this.sendUntilFinal(this.composeRequest());
    }
  }

  private composeRequest(): RequestEntry {
    const request = (this.requests += 1);
    const bad = request % BAD_EVERY === 0;
    const external = request % EXTERNAL_EVERY === 0;
    const size = Math.min(
      RECIPIENT_COUNTS[request % RECIPIENT_COUNTS.length]!,
      Math.max(1, this.options.messages - this.requested),
    );
    const recipients = Array.from({ length: size }, (_, index) => this.composeRecipient(request, index, external));
    if (!bad) this.requested += size;
    return {
      type: 'request',
      request,
      at: Date.now(),
      bad,
      campaign: campaignOf(request),
      ...(external ? {} : { key: randomUUID() }),
      recipients,
    };
  }

  private composeRecipient(request: number, index: number, external: boolean): Recipient {
    const address = `${this.drawKind()}-${request}-${index}@example.com`;
    const copied = (request + index) % CC_EVERY === 0;
    const copy = (kind: string) => `${kind}-${request}-${index}@example.com`;
    const cc = COPY_KINDS[request % COPY_KINDS.length]!.map(copy);
    return {
      address,
      ...(copied && { cc, ...(request % 3 === 0 && { bcc: [copy('bcc')] }) }),
      ...(external && { external_message_id: `ext-${request}-${index}` }),
    };
  }

  private drawKind(): MailKind {
    let draw = Math.random() * 1000;
    for (const [kind, share] of Object.entries(this.options.mix)) {
      draw -= share;
      if (draw < 0) return kind as MailKind;
    }
    return 'ok';
  }

  private async sendUntilFinal(entry: RequestEntry): Promise<void> {
    while (!this.stopped) {
      await this.journal.append({ ...entry, at: Date.now() });
      const answers = await Promise.all(
        Array.from({ length: entry.request % TWIN_EVERY === 0 ? 2 : 1 }, () => this.sendOnce(entry)),
      );
      for (const answer of answers) await this.journal.append(answer);
      const accepted = answers.find((answer) => answer.accepted)?.accepted;
      if (accepted) {
        this.accepted += entry.recipients.length;
        this.options.onAccepted?.(accepted);
      }
      if (answers.some(({ status }) => isFinal(status))) return;
      await pause(RETRY_DELAY_MS);
    }
  }

  private async sendOnce(entry: RequestEntry): Promise<AnswerEntry> {
    const begun = Date.now();
    const answer = (status: number, accepted?: Record<string, string>): AnswerEntry => ({
      type: 'answer',
      request: entry.request,
      at: Date.now(),
      begun,
      status,
      ...(accepted && { accepted }),
    });
    try {
      const headers: Record<string, string> = entry.key ? { 'idempotency-key': entry.key } : {};
      const { status, body } = await this.options.call(bodyOf(entry), headers);
      return answer(status, acceptedIds(entry, status, body));
    } catch {
      return answer(0);
    }
  }
}

/** Whether an answer is final: 409, 429 and everything from 500 on ask the client to repeat the request. */
function isFinal(status: number): boolean {
  return status >= 200 && status < 500 && status !== 409 && status !== 429;
}

function bodyOf({ bad, campaign, recipients }: RequestEntry): unknown {
  const to = recipients.map(({ address, cc, bcc, external_message_id }, index) => ({
    contact_key: bad && index === recipients.length - 1 ? 'no address' : address,
    profile_data: { first_name: `Ada ${index}` },
    ...(cc && { message: { cc, ...(bcc && { bcc }) } }),
    ...(external_message_id && { external_message_id }),
  }));
  return { campaign, to };
}

interface AcceptedBody {
  messages: { message_id: string }[];
}
interface RefusedBody {
  errors?: { pointer: string; code: string; message_id?: string }[];
}

/** Message ids by address: of a 202, or of a refusal because all of it was accepted before. */
function acceptedIds({ recipients }: RequestEntry, status: number, body: unknown): Record<string, string> | undefined {
  if (status === 202) {
    const { messages } = body as AcceptedBody;
    return Object.fromEntries(messages.map(({ message_id }, index) => [recipients[index]!.address, message_id]));
  }
  const taken = ((body as RefusedBody)?.errors ?? []).filter(({ code }) => code === 'external_message_id_taken');
  if (taken.length === 0) return undefined;
  return Object.fromEntries(
    taken.map(({ pointer, message_id }) => {
      const index = Number(/^\/to\/(\d+)/.exec(pointer)?.[1] ?? 0);
      return [recipients[index]!.address, message_id ?? ''];
    }),
  );
}
