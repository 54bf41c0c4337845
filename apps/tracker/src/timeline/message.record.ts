import { idTime, matchedEmail, type MessageState } from '@lettermill/events';
import { acceptedOf, withFacts, type Fact } from './message.facts';
import { reasonCodeOf, stateOf } from './message.state';

export interface MessageRef {
  accountId: string;
  messageId: string;
}

/** What is stored of a message: its facts in order (`byTime`). `revision` counts the saves; 0 where nothing is stored. */
export interface MessageRecord extends MessageRef {
  facts: Fact[];
  revision: number;
}

/** What a message is searched by, known once it is accepted. */
export interface SearchKeys {
  requestId: string;
  externalMessageId: string | null;
  campaignId: string;
  campaignSlug: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Its id does not tell when it was accepted, give or take a minute. */
  late: boolean;
}

/** A record to be saved over the one of `revision`, with what changes beside the facts. */
export interface MessageChange extends MessageRecord {
  state: MessageState;
  /** Code of its reason, null for none; undefined where that does not change. */
  reason: string | null | undefined;
  /** Set when these facts tell it, undefined where nothing about it changes. */
  accepted: SearchKeys | undefined;
  /** Contact terms that these facts are the first to tell. */
  terms: string[];
}

/**
 * How far the time in a message id and that of its acceptance lie apart at most, unless it is `late`. A search by time goes along
 * what is so far beyond its bounds, which are 60,000 messages where there are 1,000 a second.
 */
export const ID_SLACK_MS = 60_000;

const emailTerm = (email: string) => `@${matchedEmail(email)}`;
const exactTerm = (value: string) => `=${value}`;

/** A plus sign that nobody escaped arrives as a blank: numbers have none, nor have addresses without quotes. */
const BLANK_FOR_PLUS = /^ \d+$|^[^"]+@[^@ ]+$/;

/** Under what a search for `contact` looks: a key or contact id as it is, an address in any spelling. */
export function contactTerms(searched: string): string[] {
  const meant = BLANK_FOR_PLUS.test(searched) ? searched.replaceAll(' ', '+') : searched;
  return [...new Set([exactTerm(searched), exactTerm(meant), emailTerm(meant)])];
}

function keyTerms(keys: Record<string, string>): string[] {
  return Object.entries(keys).map(([kind, value]) => (kind === 'email' ? emailTerm(value) : exactTerm(value)));
}

function termsOf(facts: Fact[]): string[] {
  const terms = facts.flatMap((fact) => {
    if (fact.type === 'accepted') return keyTerms(fact.contact_key);
    if (fact.type === 'suppressed') return fact.address === undefined ? [] : emailTerm(fact.address);
    if (fact.type !== 'contact_resolved') return [];
    return [exactTerm(fact.contact_id), emailTerm(fact.address), ...keyTerms(fact.keys ?? {})];
  });
  return [...new Set(terms)];
}

function searchKeys(messageId: string, facts: Fact[]): SearchKeys | undefined {
  const accepted = acceptedOf(facts);
  if (!accepted) return undefined;
  const createdAt = Date.parse(accepted.at);
  const inTime = messageId >= idTime(createdAt - ID_SLACK_MS) && messageId < idTime(createdAt + ID_SLACK_MS);
  return {
    requestId: accepted.request_id,
    externalMessageId: accepted.external_message_id ?? null,
    campaignId: accepted.campaign.id,
    campaignSlug: accepted.campaign.slug,
    createdAt,
    late: !inTime,
  };
}

/** What is to be saved when these facts come to a record; undefined where it has them all. */
export function changeOf(record: MessageRecord, told: Fact[]): MessageChange | undefined {
  const facts = withFacts(record.facts, told);
  if (facts === record.facts) return undefined;
  const known = new Set(termsOf(record.facts));
  const reason = reasonCodeOf(facts);
  return {
    ...record,
    facts,
    state: stateOf(facts),
    reason: reason === reasonCodeOf(record.facts) ? undefined : reason,
    accepted: acceptedOf(record.facts) === acceptedOf(facts) ? undefined : searchKeys(record.messageId, facts),
    terms: termsOf(facts).filter((term) => !known.has(term)),
  };
}
