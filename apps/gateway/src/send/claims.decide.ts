import type { Claim, HeldName, TakenId } from './claims.store';

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

/** The claim in the place of the ones that hold its names: whole where it is the same request, else name by name. */
function inPlaceOf(claim: Claim, held: HeldName[]): Claim {
  const same = held.find(({ fingerprint }) => fingerprint === claim.fingerprint);
  if (same) {
    const renamed = new Map(claim.messageIds.map((id, index) => [id, same.messageIds[index]!]));
    const names = claim.names.map((name) => ({ ...name, messageId: name.messageId && renamed.get(name.messageId)! }));
    return { ...claim, requestId: same.requestId, messageIds: same.messageIds, names };
  }
  // Without the key, which would be of the same request.
  const first = new Map(held.map((name) => [name.value, name.messageId]));
  const renamed = new Map<string, string>();
  const names = claim.names.map((name) => {
    const earlier = first.get(name.value);
    if (!earlier || !name.messageId) return name;
    renamed.set(name.messageId, earlier);
    return { ...name, messageId: earlier };
  });
  return { ...claim, names, messageIds: claim.messageIds.map((id) => renamed.get(id) ?? id) };
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
  if (taken.length > 0) {
    return { do: 'refuse-ids', taken: taken.map(({ value, messageId }) => ({ value, messageId: messageId! })) };
  }
  const waiting = held.filter(({ state }) => state === 'claimed');
  const leaseUntil = Math.max(...waiting.map((name) => name.leaseUntil));
  if (leaseUntil >= now) return { do: 'wait', leaseUntil };
  return { do: 'take-over', claim: inPlaceOf(claim, held), held: waiting };
}
