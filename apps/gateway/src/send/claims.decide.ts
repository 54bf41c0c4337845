import { nameless, type Claim, type HeldName, type TakenId } from './claims.store';

/** What to do with a request some of whose names another one holds (docs/send.md 12, 13). */
export type Decision =
  | { do: 'proceed' }
  /** The same key and body: the first answer again. */
  | { do: 'replay'; ack: string }
  | { do: 'refuse-key' }
  /** Used external ids, each with the message that has it. */
  | { do: 'refuse-ids'; taken: TakenId[] }
  /** The first one is still being worked on, or died: nobody can tell before its lease is over. */
  | { do: 'wait'; leaseUntil: number }
  /** The first one died between claim and confirm: go on in its place, with the ids it decided. */
  | { do: 'take-over'; claim: Claim; held: HeldName[] };

function aboutKey(claim: Claim, key: HeldName, now: number): Decision | undefined {
  if (key.fingerprint !== claim.fingerprint) return { do: 'refuse-key' };
  if (key.ack !== null) return { do: 'replay', ack: key.ack };
  // Its ids may be confirmed a moment before it is.
  return key.leaseUntil >= now ? { do: 'wait', leaseUntil: key.leaseUntil } : undefined;
}

/**
 * A message of that id may be on the log, to somebody else: with the same id one of the two would be lost. One to the same contact is the
 * same message, whatever else was changed for the retry.
 */
function isForAnother({ names }: Claim, { kind, value, contact }: HeldName): boolean {
  const own = names.find((name) => name.kind === kind && name.value === value);
  return contact !== undefined && own?.contact !== undefined && own.contact !== contact;
}

/**
 * The claim in the place of the ones that hold its names: each message has the id that its name had first, and where it is the same request
 * so have the messages without a name.
 */
function inPlaceOf(claim: Claim, held: HeldName[]): Claim {
  const first = new Map(held.flatMap(({ value, messageId }) => (messageId === null ? [] : [[value, messageId]])));
  const earlier = new Map(claim.names.map(({ value, messageId }) => [messageId, first.get(value)]));
  const same = held.find(({ fingerprint }) => fingerprint === claim.fingerprint);
  if (same) {
    const named = new Set(first.values());
    // What was kept before only nameless ones were has the ids of all.
    const theirs = same.nameless.filter((id) => !named.has(id));
    nameless(claim).forEach((id, index) => earlier.set(id, theirs[index]));
  }
  const inPlace = (id: string) => earlier.get(id) ?? id;
  return {
    ...claim,
    ...(same && { requestId: same.requestId }),
    names: claim.names.map((name) => ({ ...name, messageId: name.messageId && inPlace(name.messageId) })),
    messageIds: claim.messageIds.map(inPlace),
  };
}

/**
 * Decides by what `held` says; the key is looked at before the external ids. Ids that are confirmed are taken, but for those of the very
 * request that died with its key: where a store was killed while it confirmed them, the answer is still owed.
 */
export function decideClaim(claim: Claim, held: HeldName[], now: number): Decision {
  if (held.length === 0) return { do: 'proceed' };
  const key = held.find(({ kind }) => kind === 'key');
  const byKey = key && aboutKey(claim, key, now);
  if (byKey) return byKey;
  const taken = held.filter(({ state, requestId }) => state === 'confirmed' && requestId !== key?.requestId);
  if (taken.length > 0) return { do: 'refuse-ids', taken: taken.map(takenId) };
  const waiting = held.filter(({ state }) => state === 'claimed');
  const leaseUntil = Math.max(...waiting.map((name) => name.leaseUntil));
  if (leaseUntil >= now) return { do: 'wait', leaseUntil };
  const others = waiting.filter((name) => isForAnother(claim, name));
  if (others.length > 0) return { do: 'refuse-ids', taken: others.map(takenId) };
  return { do: 'take-over', claim: inPlaceOf(claim, held), held: waiting };
}

function takenId({ value, messageId }: HeldName): TakenId {
  return { value, messageId: messageId! };
}
