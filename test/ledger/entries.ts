/** One recipient of a request. No other recipient, of any request, has the same address. */
export interface Recipient {
  address: string;
  /** These get their copies in the same SMTP transaction, unless their servers defer or refuse them. */
  cc?: string[];
  bcc?: string[];
  external_message_id?: string;
}

export const copiesOf = ({ cc = [], bcc = [] }: Recipient): string[] => [...cc, ...bcc];

/** Written before the request is made, and before each repeat of it. */
export interface RequestEntry {
  type: 'request';
  request: number;
  at: number;
  /** The request breaks a rule, so nothing of it may ever be sent. */
  bad: boolean;
  campaign: string;
  key?: string;
  recipients: Recipient[];
}

/** Written after each answer; `status` is 0 if none came. */
export interface AnswerEntry {
  type: 'answer';
  request: number;
  at: number;
  /** When the answered request began. */
  begun: number;
  status: number;
  /** Message ids by address: those of a 202, or those that a refusal of a repeat names. */
  accepted?: Record<string, string>;
}

/** Written after the answer to an order about a message: to cancel it, to try it again, or to take the report of a bounce. */
export interface OrderEntry {
  type: 'order';
  at: number;
  what: 'cancel' | 'retry' | 'bounce';
  address: string;
  message_id: string;
  status: number;
}

export type ClientEntry = RequestEntry | AnswerEntry | OrderEntry;

/** Written before the server replies 250, or shows a fault. */
export interface CopyEntry {
  at: number;
  to: string[];
  message_id: string;
  sha256: string;
  bytes: number;
}

/** What the product reports about a message. */
export interface ReportedMessage {
  message_id: string;
  state: string;
  reason: { code: string } | null;
  /** Also set for copies that are retried after the message has ended. */
  next_attempt_at?: string | null;
  attempts: ReportedAttempt[];
}

export interface ReportedAttempt {
  at: string;
  ended_at: string;
  outcome: string;
  copies?: { given_up: { address: string }[] };
}
