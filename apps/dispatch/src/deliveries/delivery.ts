import type { AttemptOutcome, AttemptTls, EventData, RecipientReply, Reply } from '@lettermill/events';
import type { ReasonCode } from '@lettermill/problems';

/** `uncertain` without a due time is held until somebody retries it. */
export type DeliveryState =
  'queued' | 'sending' | 'deferred' | 'uncertain' | 'sent' | 'bounced' | 'failed' | 'cancelled';

/** Nothing leads on from here by itself; somebody may ask for another attempt after `bounced` and `failed`. */
export const TERMINAL: readonly DeliveryState[] = ['sent', 'bounced', 'failed', 'cancelled'];

export function isTerminal(state: DeliveryState): boolean {
  return TERMINAL.includes(state);
}

/** Whether nothing will ask for the content of a delivery again. */
export function contentGoes({ next, mayReturn }: { next: Delivery; mayReturn?: boolean }): boolean {
  return isTerminal(next.state) && !mayReturn;
}

/** Getting one message out. Times are milliseconds since the epoch. */
export interface Delivery {
  accountId: string;
  messageId: string;
  state: DeliveryState;
  /** Attempts that ended with an outcome; the next one has the number after it. */
  attempts: number;
  /** When it may be claimed; null while it is being sent, is held or has ended. */
  dueAt: number | null;
  /** Undefined or null where it goes to the whole envelope. */
  rest?: Rest | null;
  /** An attempt of outcome `unknown` went to those that later ones go to as well: a report about them counts, whatever came after. */
  mayHaveArrived?: true | null;
}

/** Whom later attempts go to, where one before has reached or lost some of the recipients. */
export interface Rest {
  /** As they go on the wire. */
  to: string[];
  /** How the message ended for its main recipient: these are copies, sent alone. Null where the main recipient is among them. */
  after: 'sent' | 'bounced' | null;
}

/** The state that the message has for everybody else: its copies don't change it. */
export function toldState({ state, rest }: Pick<Delivery, 'state' | 'rest'>): DeliveryState {
  return rest?.after ?? state;
}

/** What of the message decides about its delivery. */
export interface DeliveryTerms {
  expiresAt: number | null;
  onUncertain: 'retry' | 'hold';
  /** The main recipient: whom a bounce is about. */
  address: string;
}

export interface DeliveryReason {
  code: ReasonCode;
  detail: string;
}

/** Who sends to whom in the SMTP conversation; hidden copies are here and nowhere else. */
export interface Envelope {
  from: string;
  to: string[];
  /** The recipient that the message is for; the others have copies. Null where it goes to copies alone. */
  main: string | null;
}

/** Whom a connection went to. */
export interface Peer {
  remoteAddress: string;
  /** Null: in the clear. */
  tls: AttemptTls | null;
}

/** How one SMTP conversation ended. */
export interface AttemptEnd {
  outcome: AttemptOutcome;
  reply: Reply | null;
  /** Null when it was sent. */
  reason: DeliveryReason | null;
  /** Of `bounced`: the address itself is the cause. */
  hard: boolean;
  /** What happened where no reply tells it. */
  detail?: string;
  /** Undefined where no connection came about. */
  peer?: Peer;
  /** Answers to each recipient, where there are several. */
  recipients?: RecipientReply[];
  /** What became of each copy; undefined where there are none, or no conversation came about. */
  copies?: CopyEnd[];
}

export interface CopyEnd extends Pick<AttemptEnd, 'outcome' | 'reason'> {
  address: string;
  /** It was refused for good itself, and the address is the cause. */
  hard?: true;
}

export type OutcomeType =
  'MessageSent' | 'MessageDeferred' | 'MessageBounced' | 'MessageFailed' | 'MessageUncertain' | 'MessageCopiesTried';
export type OrderType = 'MessageCancelled' | 'MessageRetried';

type ToldOf<T extends OutcomeType | OrderType> = { [E in T]: { type: E; data: EventData<E> } }[T];

/** What is to be told of a delivery: the event's type and data. */
export type Outcome = ToldOf<OutcomeType>;

/** What is to be told of a delivery that somebody changed outside any attempt. */
export type Ordered = ToldOf<OrderType>;
