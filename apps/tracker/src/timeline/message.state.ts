import type { MessageState } from '@lettermill/events';
import type { Ended, Fact, Retried, Returned, Sending, Waiting } from './message.facts';

const TERMINAL = new Set<string>(['sent', 'bounced', 'failed', 'suppressed', 'cancelled']);
/** Order of steps within one attempt: it is asked for, it begins, then it is deferred, or its outcome is unknown. */
const WITHIN_ATTEMPT = { retried: 0, sending: 1, deferred: 2, uncertain: 3 };

type Step = Sending | Waiting | Retried;

const isEnd = (fact: Fact): fact is Ended => TERMINAL.has(fact.type);
const isStep = (fact: Fact): fact is Step => Object.hasOwn(WITHIN_ATTEMPT, fact.type);
const isQueued = ({ type }: Fact) => type === 'queued';
const isCancel = (fact: Fact): fact is Ended => fact.type === 'cancelled';
const isReturn = (fact: Fact): fact is Returned => fact.type === 'returned' && fact.own;

function place(fact: Step): [number, number] {
  return ['attempt' in fact ? fact.attempt.number : fact.number, WITHIN_ATTEMPT[fact.type]];
}

function laterOf(a: Step, b: Step): Step {
  const [[numberA, stepA], [numberB, stepB]] = [place(a), place(b)];
  return numberB - numberA > 0 || (numberB === numberA && stepB >= stepA) ? b : a;
}

/** Number of the last attempt that somebody asked for: an end reached by an earlier attempt no longer counts. */
function lastRequestedAttempt(facts: Fact[]): number {
  return facts.reduce((most, fact) => (fact.type === 'retried' ? Math.max(most, fact.number) : most), 0);
}

/**
 * The first end that counts. A message that ended before dispatch but is queued nevertheless, for example because its record was read
 * twice, is sent: that end does not count. Nor does it if the message was cancelled before that end was known: the mail is never sent, and
 * the cancellation was answered.
 */
function endOf(facts: Fact[]): Ended | undefined {
  const asked = lastRequestedAttempt(facts);
  const holds = ({ attempt, on_the_way }: Ended) =>
    (attempt?.number ?? asked) >= asked && !(on_the_way && facts.some(isQueued));
  const end = facts.filter(isEnd).find(holds);
  return end?.attempt ? end : (facts.find(isCancel) ?? end);
}

/**
 * The fact that determines a message's state; `facts` are in order (`byTime`). The first terminal one decides, for ever unless somebody
 * asked for another attempt, or a later server refused the sent mail. Without one, it is the furthest step of the highest attempt; before
 * any attempt, `queued`, else `accepted`.
 */
export function decidingFact(facts: Fact[]): Fact | undefined {
  const end = endOf(facts);
  const returned = facts.find(isReturn);
  if (returned && (!end || end.type === 'sent')) return returned;
  if (end) return end;
  const steps = facts.filter(isStep);
  if (steps.length > 0) return steps.reduce(laterOf);
  return facts.find(isQueued) ?? facts.find(({ type }) => type === 'accepted');
}

/** Code of the reason for the state; null if there is none. */
export function reasonCodeOf(facts: Fact[]): string | null {
  if (!facts.some((fact) => 'reason' in fact)) return null;
  const deciding = decidingFact(facts);
  return (deciding && 'reason' in deciding && deciding.reason?.code) || null;
}

export function stateOf(facts: Fact[]): MessageState {
  const deciding = decidingFact(facts);
  const type = deciding?.type;
  // If no attempt was made yet, the message still waits in the queue.
  if (type === 'retried') return deciding.number === 1 ? 'queued' : 'deferred';
  if (type === 'returned') return 'bounced';
  const aside = type === 'contact_resolved' || type === 'complained' || type === 'copies';
  return type === undefined || aside ? 'accepted' : type;
}
