import type { MongoDriver, MongoMigration } from '@lettermill/storage';
import { MAIN_LANE, type ClaimedDelivery, type PriorityRank, type StoredDelivery } from './deliveries.store';
import type { DeliveryState, Rest } from '../lifecycle/delivery';

type ObjectId = MongoDriver.ObjectId;

/** An outcome that is still to be announced; `seq` grows with the time at which it was recorded. */
export interface StoredOutcome {
  id: string;
  json: string;
  seq: ObjectId;
}

/**
 * A delivery, stored under `idOf(account, message)`, with everything that must change together with its state: one document, one atomic
 * write. A field that applies only for a time is absent otherwise, so that the queue indexes contain no ended deliveries.
 */
export interface DeliveryDocument {
  _id: string;
  account_id: string;
  message_id: string;
  state: DeliveryState;
  priority: number;
  attempts: number;
  /** Of the main recipient. */
  domain?: string;
  /** The lane in which it waits. */
  lane: string;
  /** Set while the content is kept although the delivery has ended. */
  kept?: true;
  traceparent?: string;
  /** Addresses of the envelope. */
  recipients?: string[];
  /** Present until the delivery has ended, or longer while `kept`. */
  content?: string;
  /** Present if later attempts do not go to the whole envelope. */
  rest?: Rest;
  /** This and the next two are as of the delivery. */
  may_have_arrived?: true;
  may_have_arrived_before?: true;
  /** Absent if an older version stored it. */
  requested_attempt?: number;
  /** Present while it may be claimed. */
  due_at?: number;
  /** Absent if it may be sent at any time. */
  expires_at?: number;
  /** This and the next two are present while it is being sent. */
  owner?: string;
  claimed_at?: number;
  lease_until?: number;
  /** Identifies the call that claimed it last. */
  claim?: ObjectId;
  /** Identifies the call that last settled a claim on it or carried out an order. */
  settled?: ObjectId;
  last_event?: string;
  /** Present while outcomes are to be announced: the `seq` of the first one. */
  told_at?: ObjectId;
  outcomes?: StoredOutcome[];
}

const text = { type: String, required: true };
const count = { type: Number, required: true, min: 0 };

export const DELIVERY_SCHEMA: Record<keyof DeliveryDocument, unknown> = {
  _id: text,
  account_id: text,
  message_id: text,
  state: text,
  priority: count,
  attempts: count,
  domain: String,
  lane: { type: String, default: MAIN_LANE },
  kept: Boolean,
  may_have_arrived: Boolean,
  may_have_arrived_before: Boolean,
  requested_attempt: Number,
  traceparent: String,
  content: String,
  due_at: Number,
  expires_at: Number,
  recipients: { type: [String], default: undefined },
  rest: { type: { _id: false, to: [String], after: String, unsure: Boolean }, default: undefined },
  owner: String,
  claimed_at: Number,
  lease_until: Number,
  last_event: String,
  claim: 'ObjectId',
  settled: 'ObjectId',
  told_at: 'ObjectId',
  outcomes: { type: [{ _id: false, id: text, json: text, seq: 'ObjectId' }], default: undefined },
};

const present = (field: keyof DeliveryDocument) => ({ [field]: { $exists: true } });

export const DUE_INDEX = 'dispatch_deliveries_due_of_lane';
export const EXPIRING_INDEX = 'dispatch_deliveries_expiring';
export const KEPT_CONTENTS_INDEX = 'dispatch_deliveries_kept';
export const LEASED_INDEX = 'dispatch_deliveries_leased';
export const UNANNOUNCED_INDEX = 'dispatch_deliveries_told';
export const OUTCOME_IDS_INDEX = 'dispatch_deliveries_outcome';

const INDEXES: MongoDriver.IndexDescription[] = [
  {
    name: DUE_INDEX,
    key: { lane: 1, priority: 1, due_at: 1, account_id: 1, message_id: 1 },
    partialFilterExpression: present('due_at'),
  },
  {
    name: EXPIRING_INDEX,
    key: { expires_at: 1 },
    partialFilterExpression: { ...present('expires_at'), ...present('due_at') },
  },
  { name: KEPT_CONTENTS_INDEX, key: { message_id: 1 }, partialFilterExpression: present('kept') },
  { name: LEASED_INDEX, key: { lease_until: 1 }, partialFilterExpression: present('lease_until') },
  { name: UNANNOUNCED_INDEX, key: { told_at: 1 }, partialFilterExpression: present('told_at') },
  { name: OUTCOME_IDS_INDEX, key: { 'outcomes.id': 1 }, partialFilterExpression: present('told_at') },
];

export const DELIVERY_MIGRATIONS: MongoMigration[] = [
  { name: '1-deliveries', indexes: { dispatch_deliveries: INDEXES } },
];

export function claimedDelivery(found: DeliveryDocument): ClaimedDelivery {
  const { account_id, message_id, attempts, claimed_at, content } = found;
  return {
    accountId: account_id,
    messageId: message_id,
    attempts,
    claimedAt: claimed_at!,
    content: content ?? '',
    ...optionalFields(found),
  };
}

export function storedDelivery(found: DeliveryDocument): StoredDelivery {
  const { account_id, message_id, state, attempts, due_at, priority, content, recipients = [] } = found;
  const { requested_attempt } = found;
  return {
    accountId: account_id,
    messageId: message_id,
    state,
    attempts,
    recipients,
    dueAt: due_at ?? null,
    priority: priority as PriorityRank,
    content: content ?? null,
    ...(requested_attempt === undefined ? {} : { requestedAttempt: requested_attempt }),
    ...optionalFields(found),
  };
}

/** The fields that only some deliveries have. */
function optionalFields({ traceparent, rest, may_have_arrived, may_have_arrived_before }: DeliveryDocument) {
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(rest && { rest }),
    ...(may_have_arrived && { mayHaveArrived: true as const }),
    ...(may_have_arrived_before && { mayHaveArrivedBefore: true as const }),
  };
}
