import type { MigratedStore } from '@lettermill/storage';
import type { Delivery, Rest } from './delivery';

export interface DeliveryKey {
  accountId: string;
  messageId: string;
}

/** 0 goes first. */
export const PRIORITIES = { high: 0, normal: 1, bulk: 2 } as const;
export type PriorityRank = (typeof PRIORITIES)[keyof typeof PRIORITIES];

/** Where a delivery waits unless its domain was put aside: that domain's name is the lane then. */
export const MAIN_LANE = '';

/** A delivery as it comes in. Times are milliseconds since the epoch. */
export interface NewDelivery extends DeliveryKey {
  priority: PriorityRank;
  /** Of the main recipient, in lower case. */
  domain: string;
  dueAt: number;
  /** What is to be sent, kept until the delivery has ended, and longer where it may return. */
  content: string;
  /** Addresses of the envelope, the message's own first; kept when the content is gone. */
  recipients: string[];
  traceparent?: string;
}

export interface DueDelivery extends DeliveryKey {
  priority: PriorityRank;
  domain: string;
}

/** A delivery under a lease of ours, its state `sending`. */
export interface ClaimedDelivery extends DeliveryKey {
  attempts: number;
  /** When it was claimed: an attempt of unknown outcome began then. */
  claimedAt: number;
  content: string;
  traceparent?: string;
  /** Where it does not go to the whole envelope. */
  rest?: Rest;
}

/** Who claims, from when on, and how long the claim holds. */
export interface Lease {
  owner: string;
  now: number;
  until: number;
}

export interface Inserted {
  /** How many were new. */
  added: number;
  claimed: ClaimedDelivery[];
}

/** Claims that hold beyond `astray` were made before the clock was set back: they count as run out. Without it none does. */
export interface TakingOver extends Lease {
  astray?: number;
}

/**
 * Names a claim: it stands only while the owner and the count of attempts are still these. A claim that is given back changes neither, and the
 * same owner may have it again: those two are told apart by when they were made.
 */
export interface Claim extends DeliveryKey {
  owner: string;
  attempts: number;
  claimedAt: number;
}

/** How a claim ends. */
export interface Settlement {
  claim: Claim;
  /**
   * `state`, `attempts`, `dueAt`, and `rest` and `mayHaveArrived` unless undefined, are taken over; the content goes when the state is
   * terminal and nothing `mayReturn`.
   */
  next: Delivery;
  mayReturn?: boolean;
  /** Kept beside the state, in the same write, until it is announced. Null for a claim given back. */
  event: StoredEvent | null;
}

/** A delivery as it is stored. */
export interface StoredDelivery extends Delivery {
  priority: PriorityRank;
  /** Null where it is gone. */
  content: string | null;
  /** None where it was stored without them. */
  recipients: string[];
  traceparent?: string;
}

/** What somebody asks for outside any attempt: it holds only while the delivery is as it was found. */
export interface Order {
  /** Null: it was not there; then it is kept as `next`, and whatever comes of it later changes nothing. */
  before: Delivery | null;
  next: Delivery;
  event: StoredEvent;
}

/** Milliseconds since the epoch; null keeps all. */
export interface SweptBefore {
  contents: number | null;
  deliveries: number | null;
}

/** Which deliveries wait too long: of messages accepted after that time, those that are due after the time for their attempts. */
export interface Recall {
  acceptedAfter: number;
  /** By the number of attempts; the last one is for more as well. None is before the first. */
  latest: number[];
}

/** An event that must reach the log: its id and all of it as JSON. */
export interface StoredEvent {
  id: string;
  json: string;
}

/** What waits to be sent, in the order in which it goes. */
export interface DeliveryQueue {
  /** Keeps what is not there yet; answers how many were new. A delivery that has ended stays ended. */
  insert(deliveries: NewDelivery[]): Promise<number>;
  /** Up to `limit` of a lane that are due at `now`: by priority, then by due time. */
  due(limit: number, now: number, lane: string): Promise<DueDelivery[]>;
  /** When the first of a lane falls due that is not due at `after`; null when there is none. */
  nextDue(after: number, lane: string): Promise<number | null>;
  /** Puts each into the lane of its domain, as long as it waits. */
  putAside(deliveries: DueDelivery[]): Promise<void>;
  /** The lanes in which something waits, but for the main one. */
  lanes(): Promise<string[]>;
  /** Makes each that waits too long due at the latest time that there is for it; answers how many did. */
  recall(recall: Recall): Promise<number>;
  /** How many wait to be sent (due or not), counted up to `limit`. */
  waiting(limit: number): Promise<number>;
}

/** Whose a delivery is while it is sent. */
export interface DeliveryClaims {
  /** Takes those of the keys that are due and answers them; the rest was taken by others. */
  claim(keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]>;
  /** `insert`, and then `claim` for some of them: in one write where the store can. */
  insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[], lease: Lease): Promise<Inserted>;
  /** Answers per claim whether it still stands; those that do hold until `until`. */
  renew(claims: Claim[], until: number): Promise<boolean[]>;
  /**
   * Takes over up to `limit` claims whose lease ran out, but those that are `held`, or with `own` those under the owner's own
   * name (left by a process before). They are still `sending`; `claimedAt` stays what it was.
   */
  takeOver(lease: TakingOver, own: boolean, limit: number, held?: DeliveryKey[]): Promise<ClaimedDelivery[]>;
}

/** How claims end, what somebody ordered, and the events that tell of it until they are on the log. */
export interface DeliveryOutcomes {
  /** Answers per settlement whether it is recorded; false when the claim no longer stands. Repeating one is harmless. */
  record(settlements: Settlement[]): Promise<boolean[]>;
  /** Answers per order whether it was carried out; false when the delivery is not as it was found. One that is due again waits in the main lane. */
  order(orders: Order[]): Promise<boolean[]>;
  /** The oldest outcomes that were recorded and not yet announced. */
  unannounced(limit: number): Promise<StoredEvent[]>;
  announced(ids: string[]): Promise<void>;
}

/** What is kept of deliveries, whatever has become of them. */
export interface DeliveryRecords {
  /** Those of the deliveries that are there; in any order. */
  find(keys: DeliveryKey[]): Promise<StoredDelivery[]>;
  /**
   * Forgets up to `limit` contents and as many deliveries that ended, of messages accepted before these times (null: none):
   * their ids tell. Answers whether there may be more.
   */
  sweep(before: SweptBefore, limit: number): Promise<boolean>;
}

/**
 * Deliveries, their queue and the outcomes that are still to be announced; who needs a part of it asks for that part. Every change is a
 * batch, and each entry of it a compare-and-set of its own: one that comes too late changes nothing and says so. Faults:
 * `StoreUnavailable`.
 */
export interface DeliveryStore
  extends MigratedStore, DeliveryQueue, DeliveryClaims, DeliveryOutcomes, DeliveryRecords {}

export const DELIVERY_STORE = Symbol('DeliveryStore');
