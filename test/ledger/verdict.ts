import {
  copiesOf,
  type OrderEntry,
  type AnswerEntry,
  type ClientEntry,
  type CopyEntry,
  type Recipient,
  type ReportedMessage,
} from './entries';
import { judgeCopies } from './verdict.copies';

export type Complain = (kind: FaultKind, what: string) => void;

export interface Evidence {
  client: ClientEntry[];
  copies: CopyEntry[];
  told: ReportedMessage[];
}

export interface Verdict {
  requests: number;
  accepted: number;
  copies: number;
  states: Record<string, number>;
  /** Mails to an address that already had one of the same message; all explained unless `faults` names them. */
  repeats: number;
  unknownAttempts: number;
  /** Violations, one per case. */
  faults: Fault[];
}

export type FaultKind =
  /** Accepted, but neither arrived nor ended with a reason. */
  | 'lost'
  /** Accepted, but still in progress when everything should have ended. */
  | 'unsettled'
  /** More copies than the attempts can have made. */
  | 'unexplained'
  /** A copy of a message that no answer promised. */
  | 'unasked'
  /** Copies of one message that differ. */
  | 'changed'
  /** A message that no 202 named. */
  | 'phantom'
  /** One address, two message ids. */
  | 'doubled'
  /** A mail at a time at which no attempt that can have made it was in progress. */
  | 'misdated'
  /** A message that did not follow an order that was accepted. */
  | 'disobeyed'
  /** Something of importance was said over a connection that nobody must trust. */
  | 'insecure'
  /** A request that never got a final answer, or got one that it should not get. */
  | 'unanswered';

export interface Fault {
  kind: FaultKind;
  what: string;
}

/** States in which a message may have ended without a mail, if it has a reason. `uncertain` is one if the campaign says hold. */
const ENDED_WITHOUT_MAIL = new Set(['bounced', 'failed', 'suppressed', 'cancelled', 'uncertain']);

/** What the client was promised, by address. */
interface PromisedMessage {
  id: string;
  recipient: Recipient;
}

/** Compares what was promised with what arrived and with what the product reports. */
export function judge({ client, copies, told: reported }: Evidence): Verdict {
  const faults: Fault[] = [];
  const complain = (kind: FaultKind, what: string) => void faults.push({ kind, what });
  const promised = promisedByAddress(client, complain);
  // A mail may go to copies alone: if they were deferred, or the main recipient was refused permanently.
  const recipientOfCopy = new Map(
    [...promised].flatMap(([address, { recipient }]) => copiesOf(recipient).map((copy) => [copy, address] as const)),
  );
  const mailsByRecipient = groupBy(copies, ({ to: [first = ''] }) => recipientOfCopy.get(first) ?? first);
  const messages = new Map(reported.map((message) => [message.message_id, message]));
  const promisedIds = new Set([...promised.values()].map(({ id }) => id));

  for (const address of mailsByRecipient.keys()) {
    if (!promised.has(address)) complain('unasked', `a mail to ${address}`);
  }
  for (const { message_id } of reported) {
    if (!promisedIds.has(message_id)) complain('phantom', message_id);
  }
  for (const [address, promise] of promised) {
    judgeMessage(promise, messages.get(promise.id), mailsByRecipient.get(address) ?? [], complain);
  }
  for (const order of client.filter((entry) => entry.type === 'order')) {
    judgeOrder(order, messages.get(order.message_id), mailsByRecipient.get(order.address) ?? [], complain);
  }
  const states: Record<string, number> = {};
  for (const { state } of reported) states[state] = (states[state] ?? 0) + 1;
  return {
    requests: new Set(client.flatMap((entry) => (entry.type === 'request' ? [entry.request] : []))).size,
    accepted: promised.size,
    copies: copies.length,
    states,
    repeats: [...mailsByRecipient.values()].reduce((sum, mails) => sum + countRepeats(mails), 0),
    unknownAttempts: reported.reduce((sum, message) => sum + countUnknown(message), 0),
    faults,
  };
}

/** A cancelled message is not sent any more, and a bounce decides, whatever else is going on. */
function judgeOrder(
  { what, at, status, message_id, address }: OrderEntry,
  message: ReportedMessage | undefined,
  mails: CopyEntry[],
  complain: Complain,
): void {
  const about = `${message_id} to ${address}`;
  if (what === 'cancel' && status === 200) {
    if (message?.state !== 'cancelled') complain('disobeyed', `${about} was cancelled and is ${message?.state}`);
    if (mails.some((mail) => mail.at > at)) complain('disobeyed', `${about} was cancelled and sent`);
  }
  if (what === 'bounce' && status === 202 && message?.state !== 'bounced')
    complain('disobeyed', `a bounce of ${about} was taken, and it is ${message?.state}`);
}

function countRepeats(mails: CopyEntry[]): number {
  const reached = new Set<string>();
  return mails.filter(({ to }) => {
    const again = to.some((address) => reached.has(address));
    for (const address of to) reached.add(address);
    return again;
  }).length;
}

const countUnknown = ({ attempts }: ReportedMessage) => attempts.filter(({ outcome }) => outcome === 'unknown').length;

function judgeMessage(
  { id, recipient }: PromisedMessage,
  message: ReportedMessage | undefined,
  copies: CopyEntry[],
  complain: Complain,
): void {
  const { address } = recipient;
  if (!message) return complain('lost', `${id} to ${address}: accepted, and unknown`);
  const { state, reason } = message;
  if (state === 'sent' && copies.length === 0) complain('lost', `${id} to ${address}: told as sent, never arrived`);
  else if (state !== 'sent' && !ENDED_WITHOUT_MAIL.has(state)) complain('unsettled', `${id} to ${address} is ${state}`);
  else if (state !== 'sent' && !reason) complain('lost', `${id} to ${address} is ${state} for no reason`);
  judgeCopies(recipient, message, copies, complain);
  if (new Set(copies.map(({ sha256 }) => sha256)).size > 1) complain('changed', `${id} to ${address}: other bytes`);
  if (new Set(copies.map(({ message_id }) => message_id)).size > 1) complain('changed', `${id}: other Message-ID`);
}

/** What was promised by a 202, or by the refusal of a repeat, which names the message; by address. */
function promisedByAddress(client: ClientEntry[], complain: Complain): Map<string, PromisedMessage> {
  const promised = new Map<string, PromisedMessage>();
  const answers = groupBy(
    client.filter((entry) => entry.type === 'answer'),
    ({ request }) => request,
  );
  const requestsByNumber = new Map(
    client.flatMap((entry) => (entry.type === 'request' ? [[entry.request, entry]] : [])),
  );
  for (const [number, { recipients, bad }] of requestsByNumber) {
    const finalAnswers = (answers.get(number) ?? []).filter(isFinal);
    if (finalAnswers.length === 0) complain('unanswered', `request ${number}`);
    const accepting = finalAnswers.filter(({ accepted }) => accepted);
    if (bad !== (accepting.length === 0) && finalAnswers.length > 0) {
      complain('unanswered', `request ${number}: ${finalAnswers.map(({ status }) => status).join(', ')}`);
    }
    for (const { accepted } of accepting) {
      for (const recipient of recipients) {
        const id = accepted![recipient.address];
        const earlier = promised.get(recipient.address);
        if (!id) complain('unanswered', `request ${number} has no message for ${recipient.address}`);
        else if (earlier && earlier.id !== id) complain('doubled', `${recipient.address}: ${earlier.id} and ${id}`);
        else promised.set(recipient.address, { id, recipient });
      }
    }
  }
  return promised;
}

/** Whether an answer is final: it came, and does not ask the client to repeat the request. */
function isFinal({ status }: AnswerEntry): boolean {
  return status === 202 || (status >= 400 && status < 500 && status !== 409 && status !== 429);
}

function groupBy<T, K>(items: T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
