import { splitByWeight } from '@lettermill/concurrency';
import type { Fact } from './message.facts';

/** Weight of the messages that are loaded and saved together, in bytes of their facts; as values in memory these take some times as much. */
const MAX_PORTION_WEIGHT = 16 * 1024 * 1024;
/** Of an attempt without the replies to its recipients; more than usual, as a fact may not tell that there were some. */
const ATTEMPT_WEIGHT = 2000;
/** Of the reply to one recipient: an address and a text that is cut. */
const REPLY_WEIGHT = 500;
/** Of a message whose new fact comes after its attempts and does not tell how many there were. */
const UNKNOWN_WEIGHT = 50_000;

function weightOfFact(fact: Fact): number {
  switch (fact.type) {
    case 'accepted':
    case 'contact_resolved':
    case 'queued':
      return ATTEMPT_WEIGHT;
    case 'sending':
    case 'retried':
      return fact.number * ATTEMPT_WEIGHT;
    case 'returned':
    case 'complained':
      return UNKNOWN_WEIGHT;
    default: {
      if (!fact.attempt) return 'on_the_way' in fact ? ATTEMPT_WEIGHT : UNKNOWN_WEIGHT;
      const { number, recipients = [] } = fact.attempt;
      return number * (ATTEMPT_WEIGHT + recipients.length * REPLY_WEIGHT);
    }
  }
}

/** About how many bytes of facts a message has, as its new ones tell: its attempts are taken to be alike. */
export const weightOf = (newFacts: Fact[]): number => Math.max(...newFacts.map(weightOfFact));

/**
 * Splits messages into those that may be in memory at the same time, in order; a heavier one is alone. A batch has few new facts of each, but
 * all that is known of them is loaded, which may be a thousand times as much.
 */
export function portionsOf<T extends { facts: Fact[] }>(messages: T[]): T[][] {
  return splitByWeight(messages, ({ facts }) => weightOf(facts), MAX_PORTION_WEIGHT);
}
