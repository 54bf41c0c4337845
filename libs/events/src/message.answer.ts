import type { Attempt, CampaignRef, ContactKey, CopiesLeft, Reason } from './parts';

/** States of a message (docs/concepts.md). */
export const MESSAGE_STATES = [
  ...(['accepted', 'queued', 'sending', 'sent', 'deferred', 'bounced'] as const),
  ...(['failed', 'suppressed', 'cancelled', 'uncertain'] as const),
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** What entries of a timeline tell of (docs/api.md): a state, or something that happened aside. */
export const TIMELINE_TYPES = [...MESSAGE_STATES, 'contact_resolved', 'retried', 'copies', 'complained'] as const;

export interface TimelineEntry {
  type: (typeof TIMELINE_TYPES)[number];
  /** RFC 3339. */
  at: string;
  [detail: string]: unknown;
}

/** One SMTP conversation; `unknown`: the connection broke after the final dot, the mail may have arrived. */
export interface AttemptEntry extends Attempt {
  /** Why the attempt ended as it did; null if the mail was sent. */
  reason: Reason | null;
  /** When the next attempt was due, as decided then; null: none by itself. */
  next_attempt_at: string | null;
  /** Copies (cc, bcc) that the next hop did not take: those to be tried again, and those that never will be. */
  copies?: Omit<CopiesLeft, 'retry_at'>;
}

/** A message as the tracker answers `GET /v2/messages` and `GET /v2/messages/{message_id}`, and the gateway documents it. */
export interface MessageAnswer {
  message_id: string;
  request_id: string;
  external_message_id?: string;
  contact_key: ContactKey;
  campaign: CampaignRef;
  state: MessageState;
  reason: Reason | null;
  created_at: string;
  updated_at: string;
  /** When the message, or copies of it, will be tried again; null if nothing follows by itself. */
  next_attempt_at: string | null;
  timeline: TimelineEntry[];
  attempts: AttemptEntry[];
}
