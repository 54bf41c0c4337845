/** One recipient of a request. Each address is written to by one recipient of one request, and by no other. */
export interface Recipient {
  address: string;
  /** Gets its copy in the same transaction, unless its server puts it off. */
  cc?: string;
  external_message_id?: string;
}

/** Written before the request is made, and before each repeat of it. */
export interface RequestEntry {
  type: 'request';
  request: number;
  at: number;
  /** Of the whole request: it breaks a rule, nothing of it may ever be sent. */
  bad: boolean;
  campaign: string;
  key?: string;
  recipients: Recipient[];
}

/** Written after each answer; `status` 0 where none came. */
export interface AnswerEntry {
  type: 'answer';
  request: number;
  at: number;
  /** When the request that this answers was begun. */
  begun: number;
  status: number;
  /** Message ids by address: those of a 202, or those that a refusal of a repeat names. */
  accepted?: Record<string, string>;
}

export type ClientEntry = RequestEntry | AnswerEntry;

/** Written before the server answers 250, or does worse. */
export interface CopyEntry {
  at: number;
  to: string[];
  message_id: string;
  sha256: string;
  bytes: number;
}

/** What the product says of a message. */
export interface Told {
  message_id: string;
  state: string;
  reason: { code: string } | null;
  /** For copies, too, where the message has ended. */
  next_attempt_at?: string | null;
  attempts: { outcome: string; copies?: { given_up: { address: string }[] } }[];
}
