import type { MongoDriver } from '@lettermill/storage';
import type { UniqueName } from './claims.store';

/** A name of a request; `_id` is `idOf(account, kind, value)`. Times are milliseconds since the epoch. */
export interface NameDocument {
  _id: string;
  account_id: string;
  kind: UniqueName['kind'];
  value: string;
  message_id: string | null;
  /** Only with an external id: digest of the contact that the message is for. */
  contact?: string;
  request_id: string;
  /** Ids of the request's messages that have no external id. */
  message_ids: string[];
  fingerprint: string;
  state: 'claimed' | 'confirmed';
  lease_until: number;
  /** Only with a confirmed key. */
  ack?: string;
  /** Only with a key: when the server removes it. */
  expires_at?: Date;
}

const text = { type: String, required: true };

export const NAME_SCHEMA = {
  _id: text,
  account_id: text,
  kind: { ...text, enum: ['key', 'external'] },
  value: text,
  message_id: String,
  contact: String,
  request_id: text,
  message_ids: [String],
  fingerprint: text,
  state: { ...text, enum: ['claimed', 'confirmed'] },
  lease_until: { type: Number, required: true },
  ack: String,
  expires_at: Date,
};

export const NAME_INDEXES: MongoDriver.IndexDescription[] = [
  { name: 'gateway_names_request', key: { account_id: 1, request_id: 1 } },
  { name: 'gateway_names_expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
];
