import { DAY_MS } from '@lettermill/concurrency';
import { timeOfId } from '@lettermill/events';
import { namelessIdsOf, type Claim, type HeldName, type TakenId, type Unanswered } from './claims.store';

/** A message whose id is older could end before its retries are used up (`contentCutoff`), or be taken for one that was sent. */
const MAX_CONTINUED_AGE_MS = 7 * DAY_MS;

/** What to do with a request if another one holds some of its names (docs/send.md 12, 13). */
export type Decision =
  | { do: 'proceed' }
  /** Same key, same body: repeat the first answer. */
  | { do: 'replay'; ack: string; requestId: string }
  /** The first request with the key was accepted, and had another body. */
  | { do: 'refuse-key' }
  /** External ids that are used up, each with its message. */
  | { do: 'refuse-ids'; taken: TakenId[] }
  /**
   * The requests ended without an answer, so their messages may be on the log, and this one cannot take their place: the key came with
   * another body, or as `taken` says.
   */
  | { do: 'refuse-unanswered'; requestIds: string[]; otherBody: boolean; taken: TakenId[] }
  /** The first request is still in progress, or died: which of the two is not known before its lease ends. */
  | { do: 'wait'; leaseUntil: number }
  /** The first request died between claim and confirm: continue in its place, with the ids that it chose. */
  | { do: 'take-over'; claim: Claim; held: HeldName[] };

/** With another body, the first request decides, too: if it is refused, its key is free again. */
function decideByKey(claim: Claim, key: HeldName, now: number): Decision | undefined {
  const { fingerprint, requestId, state, ack, leaseUntil } = key;
  if (fingerprint === claim.fingerprint) return ack === null ? undefined : { do: 'replay', ack, requestId };
  if (state === 'confirmed') return { do: 'refuse-key' };
  if (leaseUntil >= now) return { do: 'wait', leaseUntil };
  return { do: 'refuse-unanswered', requestIds: [requestId], otherBody: true, taken: [] };
}

/**
 * Why the request of the name cannot be continued; undefined if it can. The external id may already be on the log, in a message to another
 * contact: with the same message id, one of the two messages would be lost. A message to the same contact is the same message, whatever
 * else the retry changed. The messages without an external id are found again by the whole body alone, so no other may replace it.
 */
function whyNotContinued(claim: Claim, name: HeldName, now: number): Unanswered | undefined {
  const { kind, value, contact, messageId, nameless, fingerprint } = name;
  const own = claim.names.find((one) => one.kind === kind && one.value === value);
  if (own?.contact !== contact) return 'other contact';
  if (fingerprint !== claim.fingerprint && nameless.length > 0) return 'other recipients';
  const ids = messageId === null ? nameless : [messageId, ...nameless];
  return ids.some((id) => now - timeOfId(id) > MAX_CONTINUED_AGE_MS) ? 'too old' : undefined;
}

/**
 * The claim in place of those that hold its names: each message gets the id that its name was first given. If it is the same request, the
 * messages without an external id get their first ids, too.
 */
function claimInPlaceOf(claim: Claim, held: HeldName[]): Claim {
  const first = new Map(held.flatMap(({ value, messageId }) => (messageId === null ? [] : [[value, messageId]])));
  const earlier = new Map(claim.names.map(({ value, messageId }) => [messageId, first.get(value)]));
  const sameRequest = held.find(({ fingerprint }) => fingerprint === claim.fingerprint);
  if (sameRequest) {
    namelessIdsOf(claim).forEach((id, index) => earlier.set(id, sameRequest.nameless[index]));
  }
  const inPlace = (id: string) => earlier.get(id) ?? id;
  return {
    ...claim,
    ...(sameRequest && { requestId: sameRequest.requestId }),
    names: claim.names.map((name) => ({ ...name, messageId: name.messageId && inPlace(name.messageId) })),
    messageIds: claim.messageIds.map(inPlace),
  };
}

/** Ids of the claim's messages that are those of requests in whose place it is: any of them may be on the log. */
export function earlierIdsOf({ tookOver = [], messageIds, fingerprint }: Claim): string[] {
  if (tookOver.some((name) => name.fingerprint === fingerprint)) return messageIds;
  const ids = new Set(tookOver.map(({ messageId }) => messageId));
  return messageIds.filter((id) => ids.has(id));
}

/**
 * Decides by the names that others hold; the key is checked before the external ids. Confirmed ids are taken, except those of the request
 * that holds the same key: it confirms them a moment before its key, and if it died in between, it still has to be answered.
 */
export function decideClaim(claim: Claim, held: HeldName[], now: number): Decision {
  if (held.length === 0) return { do: 'proceed' };
  const key = held.find(({ kind }) => kind === 'key');
  const byKey = key && decideByKey(claim, key, now);
  if (byKey) return byKey;
  const taken = held.filter(({ state, requestId }) => state === 'confirmed' && requestId !== key?.requestId);
  const inProgress = held.filter(({ state }) => state === 'claimed');
  if (taken.length > 0) return refuseTaken(taken, inProgress, now);
  const leaseUntil = Math.max(...inProgress.map((name) => name.leaseUntil));
  if (leaseUntil >= now) return { do: 'wait', leaseUntil };
  const refused = inProgress.flatMap((name) => {
    const unanswered = whyNotContinued(claim, name, now);
    return unanswered ? [{ name, unanswered }] : [];
  });
  if (refused.length > 0) {
    const requestIds = requestsOf(refused.map(({ name }) => name));
    const ofIds = refused.filter(({ name }) => name.kind === 'external');
    const refusedIds = ofIds.map(({ name, unanswered }) => ({ ...takenId(name), unanswered }));
    return { do: 'refuse-unanswered', requestIds, otherBody: false, taken: refusedIds };
  }
  return { do: 'take-over', claim: claimInPlaceOf(claim, held), held: inProgress };
}

/** Other names may be of a request that died: its caller learns which messages that may have left, whatever this one is refused for. */
function refuseTaken(confirmed: HeldName[], inProgress: HeldName[], now: number): Decision {
  const taken = confirmed.map(takenId);
  const died = inProgress.filter(({ leaseUntil }) => leaseUntil < now);
  if (died.length === 0) return { do: 'refuse-ids', taken };
  return { do: 'refuse-unanswered', requestIds: requestsOf(died), otherBody: false, taken };
}

function requestsOf(names: HeldName[]): string[] {
  return [...new Set(names.map(({ requestId }) => requestId))];
}

function takenId({ value, messageId }: HeldName): TakenId {
  return { value, messageId: messageId! };
}
