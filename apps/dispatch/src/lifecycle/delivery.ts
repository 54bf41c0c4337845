import type { AttemptOutcome, AttemptTls, EventData, EventType, RecipientReply, Reply } from '@lettermill/events';
import type { ReasonCode } from '@lettermill/problems';

/** An `uncertain` delivery without a due time is held until somebody retries or cancels it. */
export type DeliveryState =
  'queued' | 'sending' | 'deferred' | 'uncertain' | 'sent' | 'bounced' | 'failed' | 'cancelled';

/** No other state follows these by itself; after `bounced` and `failed`, somebody may ask for another attempt. */
export const TERMINAL: readonly DeliveryState[] = ['sent', 'bounced', 'failed', 'cancelled'];

export function isTerminal(state: DeliveryState): boolean {
  return TERMINAL.includes(state);
}

/** Whether the content of a delivery will never be needed again. */
export function isContentObsolete({ next, mayReturn }: { next: Delivery; mayReturn?: boolean }): boolean {
  return isTerminal(next.state) && !mayReturn;
}

/** Getting one message out. Times are milliseconds since the epoch. */
export interface Delivery {
  accountId: string;
  messageId: string;
  state: DeliveryState;
  /** Attempts that ended with an outcome; the number of the next one is one higher. */
  attempts: number;
  /** When it may be claimed; null while it is being sent, is held or has ended. */
  dueAt: number | null;
  /** Undefined or null if it goes to the whole envelope. */
  rest?: Rest | null;
  /**
   * An attempt with outcome `unknown` went to the main recipient: a bounce report counts, whatever came after, until one has ended the
   * delivery or somebody retries the bounced mail.
   */
  mayHaveArrived?: true | null;
  /** So did one before that: another report of the bounce is old news, but a complaint counts, for ever. */
  mayHaveArrivedBefore?: true;
  /** The last attempt that was made, or is to be made, only because somebody asked; 0 if none. Undefined if that was not noted yet. */
  requestedAttempt?: number;
}

/** Whether an earlier attempt may have delivered it, whatever is known since. */
export function isInDoubt({ mayHaveArrived, mayHaveArrivedBefore }: Delivery): boolean {
  return !!mayHaveArrived || !!mayHaveArrivedBefore;
}

/** What a bounce that becomes known leaves of the doubt. */
export const DOUBT_BEFORE_BOUNCE = { mayHaveArrived: null, mayHaveArrivedBefore: true } as const;

/** Which message an event is about. */
export function idsOf({ accountId, messageId }: Pick<Delivery, 'accountId' | 'messageId'>) {
  return { account_id: accountId, message_id: messageId };
}

/** The recipients of later attempts, once an earlier one has reached or given up some recipients. */
export interface Rest {
  /** Addresses as written on the wire. */
  to: string[];
  /** How the message ended for its main recipient, if these are copies that are sent alone; null if the main recipient is among them. */
  after: 'sent' | 'bounced' | null;
  /** Copies among these may have the mail by an earlier attempt; this says nothing of the main recipient. */
  unsure?: true;
}

/** The state that is reported for the message: its copies do not change it. */
export function reportedState({ state, rest }: Pick<Delivery, 'state' | 'rest'>): DeliveryState {
  return rest?.after ?? state;
}

/** The parts of a message that decide about its delivery. */
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

/** Sender and recipients of the SMTP conversation; bcc recipients appear here and nowhere else. */
export interface Envelope {
  from: string;
  to: string[];
  /** The recipient that the message is for; the others get copies. Null if it goes to copies alone. */
  main: string | null;
}

/** The server that a connection was made to. */
export interface Peer {
  remoteAddress: string;
  /** Null: in the clear. */
  tls: AttemptTls | null;
}

/** The next hop wants fewer mails from us, or can take none for now, whatever mail it is. */
export type HopState = 'throttling' | 'unable';

/** How one SMTP conversation ended. */
export interface AttemptEnd {
  outcome: AttemptOutcome;
  reply: Reply | null;
  /** Null when it was sent. */
  reason: DeliveryReason | null;
  /** For `bounced`: the address itself is the cause. */
  hard: boolean;
  /** What it says about the next hop; undefined if it may be about this mail alone. */
  hop?: HopState;
  /** What happened, if no reply says so. */
  detail?: string;
  /** Undefined if no connection was made. */
  peer?: Peer;
  /** The reply to each recipient, if there are several. */
  recipients?: RecipientReply[];
  /** What became of each copy; undefined if there are none, or no conversation took place. */
  copies?: CopyEnd[];
}

export interface CopyEnd extends Pick<AttemptEnd, 'outcome' | 'reason'> {
  address: string;
  /** This copy itself was refused permanently, and its address is the cause. */
  hard?: true;
}

/** What is reported about a delivery: the event's type and data. */
type ReportOf<T extends EventType> = { [E in T]: { type: E; data: EventData<E> } }[T];

/** How an attempt ended, or why there was none. */
export type Outcome = ReportOf<
  'MessageSent' | 'MessageDeferred' | 'MessageBounced' | 'MessageFailed' | 'MessageUncertain' | 'MessageCopiesTried'
>;

/** What somebody changed outside any attempt. */
export type OrderReport = ReportOf<'MessageCancelled' | 'MessageRetried'>;

export type DeliveryReport = Outcome | OrderReport | ReportOf<'MessageSending'>;
