import type { MigratedStore } from '@lettermill/storage';

/** A name that must not be used twice in an account: an Idempotency-Key or an external_message_id. */
export interface Name {
  kind: 'key' | 'external';
  value: string;
  /** The message that an external id names. */
  messageId: string | null;
  /** Digest of the contact that the message is for; names of before, and keys, have none. */
  contact?: string;
}

/** All names of one request, taken together before its messages go on the log. */
export interface Claim {
  accountId: string;
  requestId: string;
  names: Name[];
  /** Of every message of the request, in order: whoever takes the claim over uses these. */
  messageIds: string[];
  /** SHA-256 of the request as canonical JSON. */
  fingerprint: string;
  owner: string;
  /** Milliseconds since the epoch. */
  leaseUntil: number;
  /** A key that is never answered is free again then; its external ids are kept: a message may have them. */
  keyExpiresAt: number;
  /** Names of a request that died were moved to it: its messages may be on the log, so no name is given back. */
  tookOver?: true;
}

/** Ids of the messages that the names do not tell: all ids with each name would be 100 times 100 of a large request, for ever. */
export function nameless({ names, messageIds }: Claim): string[] {
  const named = new Set(names.map(({ messageId }) => messageId));
  return messageIds.filter((id) => !named.has(id));
}

/** A claim while it is held: who took it over meanwhile has another lease, or another request. */
export type Hold = Pick<Claim, 'accountId' | 'requestId' | 'leaseUntil'>;

/** A name as it is stored: held by a request under way (`claimed`) or for good (`confirmed`). */
export interface HeldName extends Name {
  requestId: string;
  /** Ids of the request's messages that have no external id, in order. Each name has them, as any may outlive the others. */
  nameless: string[];
  fingerprint: string;
  state: 'claimed' | 'confirmed';
  leaseUntil: number;
  /** The first 202 as JSON; only kept with a key. */
  ack: string | null;
}

/** An external id that is taken for ever, and the message that has it. */
export interface TakenId {
  value: string;
  messageId: string;
}

/** Unique names per account; compare-and-set only. */
export interface ClaimStore extends MigratedStore {
  /** Takes every name, or none: answers the names that another request holds (empty: all are ours now). */
  claim(claim: Claim): Promise<HeldName[]>;
  /** Those of the external ids that a request which was accepted has. */
  taken(accountId: string, externalIds: string[]): Promise<TakenId[]>;
  /**
   * Moves the names `held`, whose lease ran out, to the claim; what somebody else took meanwhile stays. Of several who
   * take the same names over, exactly one is told so.
   */
  takeOver(claim: Claim, held: HeldName[], now: number): Promise<boolean>;
  /** The claim holds until `leaseUntil`; false where not every name is its own any more. */
  renew(claim: Claim, leaseUntil: number): Promise<boolean>;
  /** The request was accepted: external ids are taken for ever, keys until `keyExpiresAt`. */
  confirm(accountId: string, requestId: string, ack: string, keyExpiresAt: number): Promise<void>;
  /** The request was refused, or nothing of it is on the log: its names are free again. */
  release(hold: Hold): Promise<void>;
  /** Nobody works on the request any more, and it may be on the log: whoever comes next takes it over at once. */
  abandon(hold: Hold, now: number): Promise<void>;
  /** Leases of an owner that is known to be gone end now. */
  expireLeases(owner: string, now: number): Promise<void>;
  /** Removes keys that expired before `now`, answered or not; returns how many. */
  sweep(now: number): Promise<number>;
}

export const CLAIM_STORE = Symbol('ClaimStore');
