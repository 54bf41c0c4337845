import type { MigratedStore } from '@lettermill/storage';
import type { Delivery, Rest } from '../lifecycle/delivery';

export interface DeliveryKey {
  accountId: string;
  messageId: string;
}

/** 0 goes first. */
export const PRIORITIES = { high: 0, normal: 1, bulk: 2 } as const;
export type PriorityRank = (typeof PRIORITIES)[keyof typeof PRIORITIES];
export const RANKS: readonly PriorityRank[] = Object.values(PRIORITIES);

/** The lane of a delivery unless it was put aside; its lane is then named after its domain. */
export const MAIN_LANE = '';

/** A delivery as it comes in. Times are milliseconds since the epoch. */
export interface NewDelivery extends DeliveryKey {
  priority: PriorityRank;
  /** Of the main recipient, in lower case. */
  domain: string;
  dueAt: number;
  /** From then on it is not sent any more; null if there is no such time. */
  expiresAt: number | null;
  /** What is to be sent; kept until the delivery has ended, and longer if another attempt may be asked for. */
  content: string;
  /** Addresses of the envelope, the main recipient first; kept after the content is gone. */
  recipients: string[];
  traceparent?: string;
}

export interface DueDelivery extends DeliveryKey {
  priority: PriorityRank;
  domain: string;
  /** Its place among those of its priority: a claim that is given back is due then again. */
  dueAt: number;
}

/** A delivery that waits although its time is over. */
export interface ExpiredDelivery extends DeliveryKey {
  expiresAt: number;
}

/** A delivery in state `sending`, under our lease. */
export interface ClaimedDelivery extends DeliveryKey {
  attempts: number;
  /** When it was claimed: an attempt of unknown outcome counts from then. */
  claimedAt: number;
  content: string;
  traceparent?: string;
  /** Present if it does not go to the whole envelope. */
  rest?: Rest;
  /** This and the next are as of the delivery. */
  mayHaveArrived?: true;
  mayHaveArrivedBefore?: true;
}

/** Who claims, from when, and until when the claim holds. */
export interface Lease {
  owner: string;
  now: number;
  until: number;
}

export interface InsertResult {
  /** How many were new. */
  added: number;
  claimed: ClaimedDelivery[];
}

/** Claims that hold beyond `astray` were made before the clock was set back, and count as expired. If it is undefined, none does. */
export interface TakeoverLease extends Lease {
  astray?: number;
}

/**
 * Identifies a claim, which stands only while owner and count of attempts are unchanged. Giving a claim back changes neither, and the same
 * owner may claim the delivery again: `claimedAt` tells the two claims apart.
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
   * Its `state`, `attempts` and `dueAt` are stored, as are `rest` and `mayHaveArrived` unless undefined. The content is deleted if the
   * state is terminal and `mayReturn` is not set.
   */
  next: Delivery;
  mayReturn?: boolean;
  /** Stored in the same write as the state, until it is announced. Null for a claim given back. */
  event: StoredEvent | null;
}

export interface StoredDelivery extends Delivery {
  priority: PriorityRank;
  /** Null once it is gone. */
  content: string | null;
  /** Empty if it was stored without them. */
  recipients: string[];
  traceparent?: string;
}

/** A change that somebody asks for outside any attempt. It is carried out only if the delivery is still as it was found. */
export interface Order {
  /** Null if there was no such delivery: `next` is stored then, and its record changes nothing when it arrives later. */
  before: Delivery | null;
  /** `mayHaveArrivedBefore` and `requestedAttempt` are stored unless undefined; no settlement changes them. */
  next: Delivery;
  event: StoredEvent;
}

/** Milliseconds since the epoch; null keeps all. */
export interface SweptBefore {
  contents: number | null;
  deliveries: number | null;
}

/**
 * Which deliveries wait too long: those due after the time in `latest`, if their messages were accepted after `acceptedAfter`, or if they
 * are due after every time in it.
 */
export interface Recall {
  acceptedAfter: number;
  /** The latest due time by number of attempts; the last one also applies to higher numbers. None is earlier than the first. */
  latest: number[];
}

/** An event that must reach the log: its id, and the whole event as JSON. */
export interface StoredEvent {
  id: string;
  json: string;
}

/** Deliveries that wait to be sent, in the order in which they are sent. */
export interface DeliveryQueue {
  /** Stores deliveries that are not there yet; resolves to how many were new. A delivery that has ended stays ended. */
  insert(deliveries: NewDelivery[]): Promise<number>;
  /** Up to `limit` deliveries of a lane that are due at `now`: by priority, then by due time, then by account and id. */
  due(limit: number, now: number, lane: string): Promise<DueDelivery[]>;
  /** When the next delivery of a lane falls due after `after`; null if there is none. */
  nextDue(after: number, lane: string): Promise<number | null>;
  /** Moves each into the lane of its domain if it still waits. */
  putAside(deliveries: DueDelivery[]): Promise<void>;
  /** The lanes in which something waits, except the main one. */
  lanes(): Promise<string[]>;
  /** Makes each delivery that waits too long due at its latest due time; resolves to how many were changed. */
  recall(recall: Recall): Promise<number>;
  /** Up to `limit` deliveries that wait and expired at `now` or before, in the order in which they expired. */
  expired(limit: number, now: number): Promise<ExpiredDelivery[]>;
  /** How many wait to be sent (due or not), counted up to `limit`. */
  countWaiting(limit: number): Promise<number>;
}

/** Who owns a delivery while it is being sent. */
export interface DeliveryClaims {
  /** Claims those of the keys that are due and resolves to them; the others were claimed by somebody else. */
  claim(keys: DeliveryKey[], lease: Lease): Promise<ClaimedDelivery[]>;
  /** `insert`, then `claim` for some of them, in one write if the store can do that. */
  insertAndClaim(deliveries: NewDelivery[], keys: DeliveryKey[], lease: Lease): Promise<InsertResult>;
  /** Resolves, per claim, to whether it still stands; those that do hold until `until`. */
  renew(claims: Claim[], until: number): Promise<boolean[]>;
  /** Takes over up to `limit` expired claims except those in `held`. They are still `sending`, and `claimedAt` does not change. */
  takeOver(lease: TakeoverLease, limit: number, held?: DeliveryKey[]): Promise<ClaimedDelivery[]>;
  /** The same for claims under the owner's own name, expired or not, which an earlier process left. */
  takeOverOwn(lease: Lease, limit: number): Promise<ClaimedDelivery[]>;
}

/** How claims end, the orders carried out, and the events that report them, until they are on the log. */
export interface DeliveryOutcomes {
  /** Resolves, per settlement, to whether it is recorded; false if the claim no longer stands. Repeating one is harmless. */
  record(settlements: Settlement[]): Promise<boolean[]>;
  /**
   * Resolves, per order, to whether it was carried out; false if the delivery is not as it was found. A delivery that is due again waits in
   * the main lane.
   */
  order(orders: Order[]): Promise<boolean[]>;
  /** The oldest outcomes that were recorded and not yet announced. */
  unannounced(limit: number): Promise<StoredEvent[]>;
  forgetAnnounced(ids: string[]): Promise<void>;
}

/** Stored deliveries, whatever their state. */
export interface DeliveryRecords {
  /** The deliveries that are there, in any order. */
  find(keys: DeliveryKey[]): Promise<StoredDelivery[]>;
  /**
   * Deletes up to `limit` contents and up to `limit` ended deliveries, of messages whose ids say that they were accepted before these times
   * (null: none). Resolves to whether there may be more.
   */
  sweep(before: SweptBefore, limit: number): Promise<boolean>;
}

/**
 * Deliveries, their queue, and the outcomes still to be announced; a caller that needs only a part asks for the interface of that part.
 * Every change is a batch, and each entry of it is a compare-and-set of its own: one that comes too late changes nothing and is reported
 * so. Rejects with `StoreUnavailable`.
 */
export interface DeliveryStore
  extends MigratedStore, DeliveryQueue, DeliveryClaims, DeliveryOutcomes, DeliveryRecords {}

export const DELIVERY_STORE = Symbol('DeliveryStore');
