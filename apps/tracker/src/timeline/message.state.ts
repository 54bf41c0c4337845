import type { Ended, Fact, Sending, Waiting } from './message.facts';

/** States of a message (design 3). */
export const STATES = [
  ...(['accepted', 'queued', 'sending', 'sent', 'deferred', 'bounced'] as const),
  ...(['failed', 'suppressed', 'cancelled', 'uncertain'] as const),
] as const;
export type MessageState = (typeof STATES)[number];

const TERMINAL = new Set<string>(['sent', 'bounced', 'failed', 'suppressed']);
/** Of one attempt: it begins, then it is put off, or nobody knows. */
const WITHIN_ATTEMPT = { sending: 0, deferred: 1, uncertain: 2 };

const isEnd = (fact: Fact): fact is Ended => TERMINAL.has(fact.type);
const isAttempt = (fact: Fact): fact is Sending | Waiting => Object.hasOwn(WITHIN_ATTEMPT, fact.type);

function place(fact: Sending | Waiting): [number, number] {
  return [fact.type === 'sending' ? fact.number : fact.attempt.number, WITHIN_ATTEMPT[fact.type]];
}

function laterOf(a: Sending | Waiting, b: Sending | Waiting): Sending | Waiting {
  const [[numberA, stepA], [numberB, stepB]] = [place(a), place(b)];
  return numberB - numberA > 0 || (numberB === numberA && stepB >= stepA) ? b : a;
}

/**
 * The fact that a message's state rests on; `facts` are in order (`byTime`). The first terminal one decides for ever;
 * before it, the furthest step of the highest attempt; before any attempt, `queued`, else `accepted`.
 */
export function decidingFact(facts: Fact[]): Fact | undefined {
  const end = facts.find(isEnd);
  if (end) return end;
  const attempts = facts.filter(isAttempt);
  if (attempts.length > 0) return attempts.reduce(laterOf);
  return facts.find(({ type }) => type === 'queued') ?? facts.find(({ type }) => type === 'accepted');
}

export function stateOf(facts: Fact[]): MessageState {
  const type = decidingFact(facts)?.type;
  return type === undefined || type === 'contact_resolved' ? 'accepted' : type;
}
