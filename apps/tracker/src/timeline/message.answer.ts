import type { AttemptEntry, AttemptOutcome, MessageAnswer, TimelineEntry } from '@lettermill/events';
import { acceptedOf, type Fact, type Queued, type Retried } from './message.facts';
import { decidingFact, stateOf } from './message.state';

const lostCopiesOf = ({ suppressed_copies }: Queued | Retried) => suppressed_copies && { suppressed_copies };

function entryOf(fact: Fact): TimelineEntry {
  const { type, at } = fact;
  switch (type) {
    case 'accepted':
      return { type, at, campaign_version: fact.campaign.version };
    case 'contact_resolved':
      return { type, at, contact_id: fact.contact_id, contact_version: fact.contact_version, address: fact.address };
    case 'queued': {
      const { priority, expires_at } = fact;
      return { type, at, priority, expires_at, ...lostCopiesOf(fact) };
    }
    case 'sending':
      return { type, at, attempt: fact.number, next_hop: fact.next_hop };
    case 'retried':
      return { type, at, attempt: fact.number, ...lostCopiesOf(fact) };
    case 'deferred':
    case 'uncertain':
      return { type, at, attempt: fact.attempt.number, ...fact.reason, retry_at: fact.retry_at };
    case 'returned':
      return { type: 'bounced', at, asynchronous: true, address: fact.address, status: fact.status, ...fact.reason };
    case 'complained':
      return { type, at, address: fact.address };
    case 'copies':
      return { type, at, ...(fact.attempt && { attempt: fact.attempt.number }), ...fact.reason, ...fact.copies };
    default: {
      const tried = fact.attempt && { attempt: fact.attempt.number, next_hop: fact.attempt.next_hop };
      return { type, at, ...tried, ...fact.reason, ...fact.copies };
    }
  }
}

/** From the least to the most definite outcome, for two events that report the same attempt. */
const OUTCOMES_BY_CERTAINTY: AttemptOutcome[] = ['unknown', 'deferred', 'failed', 'bounced', 'sent'];

function nextAttemptOf(fact: Fact): Pick<AttemptEntry, 'next_attempt_at' | 'copies'> {
  if ('retry_at' in fact) return { next_attempt_at: fact.retry_at };
  if (!('copies' in fact) || !fact.copies) return { next_attempt_at: null };
  const { waiting, given_up, retry_at } = fact.copies;
  return { next_attempt_at: retry_at, copies: { waiting, given_up } };
}

/** Every attempt once, ordered by number. */
function attemptsOf(facts: Fact[]): AttemptEntry[] {
  const attempts = new Map<string, AttemptEntry>();
  for (const fact of facts) {
    const attempt = 'attempt' in fact ? fact.attempt : undefined;
    if (!attempt) continue;
    const name = `${attempt.number} ${attempt.at}`;
    const other = attempts.get(name);
    if (other && OUTCOMES_BY_CERTAINTY.indexOf(attempt.outcome) <= OUTCOMES_BY_CERTAINTY.indexOf(other.outcome))
      continue;
    const reason = ('reason' in fact ? fact.reason : undefined) ?? null;
    attempts.set(name, { ...attempt, reason, ...nextAttemptOf(fact) });
  }
  return [...attempts.values()].sort((a, b) => a.number - b.number || (a.at < b.at ? -1 : 1));
}

/** Facts after which the message has ended, but its copies may still be tried. */
const WITH_COPIES = new Set<string>(['sent', 'bounced', 'returned']);

function nextAttemptAt(deciding: Fact, facts: Fact[]): string | null {
  if (deciding.type === 'retried') return deciding.at;
  if (WITH_COPIES.has(deciding.type)) return nextCopiesAttemptAt(facts);
  return 'retry_at' in deciding ? deciding.retry_at : null;
}

/** When the copies are tried next, by the last attempt; null while one is in progress, and if the copies were given up without one. */
function nextCopiesAttemptAt(facts: Fact[]): string | null {
  let [last, next]: [number, string | null] = [0, null];
  for (const fact of facts) {
    const begun = fact.type === 'sending' ? fact.number : 0;
    const ended = 'attempt' in fact ? (fact.attempt?.number ?? 0) : 0;
    if (ended >= last && ended > 0) [last, next] = [ended, ('copies' in fact && fact.copies?.retry_at) || null];
    else if (begun > last) [last, next] = [begun, null];
    else if (fact.type === 'copies' && !fact.attempt) next = null;
  }
  return next;
}

const ONCE = new Set<string>(['accepted', 'contact_resolved', 'queued']);

/** Steps that a message takes once are shown once, even if the client's retry recorded them again. */
function shownOf(facts: Fact[]): Fact[] {
  const seen = new Set<string>();
  return facts.filter(({ type }) => !ONCE.has(type) || (!seen.has(type) && seen.add(type)));
}

/**
 * The answer for a message: it depends only on the set of its facts, which are given in order (`byTime`). Undefined until the message is
 * known to be accepted: the events of different topics arrive in any order.
 */
export function answerOf(messageId: string, facts: Fact[]): MessageAnswer | undefined {
  const accepted = acceptedOf(facts);
  if (!accepted) return undefined;
  const { request_id, external_message_id, contact_key, campaign } = accepted;
  const deciding = decidingFact(facts)!;
  const shown = shownOf(facts);
  return {
    message_id: messageId,
    request_id,
    ...(external_message_id !== undefined && { external_message_id }),
    contact_key,
    campaign,
    state: stateOf(facts),
    reason: ('reason' in deciding ? deciding.reason : undefined) ?? null,
    created_at: accepted.at,
    updated_at: shown.at(-1)!.at,
    next_attempt_at: nextAttemptAt(deciding, facts),
    timeline: shown.map(entryOf),
    attempts: attemptsOf(facts),
  };
}
