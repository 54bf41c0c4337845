import type { MigratedStore } from '@lettermill/storage';

/** A name that must not be used twice in an account: an Idempotency-Key or an external_message_id. */
export interface UniqueName {
  kind: 'key' | 'external';
  value: string;
  /** The message with this external id. */
  messageId: string | null;
  /** Digest of the message's contact; keys have none. */
  contact?: string;
}

/** All names of one request, taken together before its messages go on the log. */
export interface Claim {
  accountId: string;
  requestId: string;
  names: UniqueName[];
  /** Ids of all messages of the request, in order: a request that takes the claim over uses the same ids. */
  messageIds: string[];
  /** SHA-256 of the request as canonical JSON. */
  fingerprint: string;
  /** Milliseconds since the epoch. */
  leaseUntil: number;
  /** When a key that never got an answer is free again. External ids are kept: a message may have them. */
  keyExpiresAt: number;
  /** Names of requests that died, as they were before they were moved to this claim: messages of those requests may be on the log. */
  tookOver?: HeldName[];
}

/** Ids of the messages without an external id. To store all ids with each name would be 100 times 100 ids for a large request, for ever. */
export function namelessIdsOf({ names, messageIds }: Claim): string[] {
  const named = new Set(names.map(({ messageId }) => messageId));
  return messageIds.filter((id) => !named.has(id));
}

/** Ids of all messages of the requests that hold these names; sorted, as the names of a request are stored in no order. */
export function messageIdsIn(held: Pick<HeldName, 'messageId' | 'nameless'>[]): string[] {
  const ids = held.flatMap(({ messageId, nameless }) => (messageId === null ? nameless : [messageId, ...nameless]));
  return [...new Set(ids)].sort();
}

/** The end of a lease that has ended whatever the time: the clocks of two gateways may differ. */
export const ENDED = 0;

/** Identifies a claim while it is held: once it has been taken over, its lease or its request is another. */
export type ClaimRef = Pick<Claim, 'accountId' | 'requestId' | 'leaseUntil'>;

/** A claim whose request failed. */
export type Releasable = ClaimRef & Pick<Claim, 'tookOver'>;

/** A name as it is stored: held by a request in progress (`claimed`) or for good (`confirmed`). */
export interface HeldName extends UniqueName {
  requestId: string;
  /** Ids of the request's messages that have no external id, in order. Stored with each name, as any name may outlive the others. */
  nameless: string[];
  fingerprint: string;
  state: 'claimed' | 'confirmed';
  leaseUntil: number;
  /** The body of the first 202, as JSON; stored with keys only. */
  ack: string | null;
}

/** An external id that is taken for ever, and its message. */
export interface TakenId {
  value: string;
  messageId: string;
  /** Set if the request of the message ended without an answer: whether the message exists is not known. Why it cannot be continued. */
  unanswered?: Unanswered;
}

/** The other request was for another contact; or had another body, and recipients without an external id; or was too long ago. */
export type Unanswered = 'other contact' | 'other recipients' | 'too old';

/**
 * Unique names per account; every change is a compare-and-set. A store that only one process uses ends the leases that an earlier one left
 * when it is opened.
 */
export interface ClaimStore extends MigratedStore {
  /** Takes all names, or none. Resolves to the names that other requests hold; empty means that all are ours now. */
  claim(claim: Claim): Promise<HeldName[]>;
  /** Returns those of the external ids that belong to an accepted request. */
  taken(accountId: string, externalIds: string[]): Promise<TakenId[]>;
  /** Ids of all messages of these requests (`messageIdsIn`), while they hold names. */
  messageIdsOf(accountId: string, requestIds: string[]): Promise<string[]>;
  /**
   * Moves the names `held`, whose leases have ended, to the claim; names that were taken by others meanwhile stay theirs. Of several
   * requests that take over the same names, exactly one gets `true`.
   */
  takeOver(claim: Claim, held: HeldName[], now: number): Promise<boolean>;
  /** Extends the lease of the claim to `leaseUntil`; false if the claim no longer holds every name. */
  renew(claim: Claim, leaseUntil: number): Promise<boolean>;
  /** The request was accepted: external ids are taken for ever, keys until `keyExpiresAt`. */
  confirm(accountId: string, requestId: string, ack: string, keyExpiresAt: number): Promise<void>;
  /**
   * The request was refused, or nothing of it is on the log: the names that it took over are again those of the requests that died, whose
   * leases have ended; the others are free.
   */
  release(claim: Releasable): Promise<void>;
  /** Ends the lease of a request that nobody works on any more and that may be on the log: the next request takes it over at once. */
  abandon(hold: ClaimRef): Promise<void>;
  /** Removes keys that expired before `now`, answered or not; returns how many. */
  sweep(now: number): Promise<number>;
}

export const CLAIM_STORE = Symbol('ClaimStore');
