import { idTime, matchedEmail, type MessageState } from '@lettermill/events';
import { acceptancesOf, acceptedOf, withFacts, type Ended, type Fact } from './message.facts';
import { reasonCodeOf, stateOf } from './message.state';

export interface MessageRef {
  accountId: string;
  messageId: string;
}

/** A message as stored: its facts in order (`byTime`). `revision` counts the saves; 0 if nothing is stored. */
export interface MessageRecord extends MessageRef {
  facts: Fact[];
  revision: number;
}

/** What a message can be searched by; known once it is accepted. */
export interface SearchKeys {
  /** The first; each later one is a term (`laterRequestTerm`). */
  requestId: string;
  externalMessageId: string | null;
  campaignId: string;
  campaignSlug: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Whether the time in its id differs from that of its acceptance by more than a minute. */
  late: boolean;
}

/** A record to be saved over that of `revision`, with the columns that change besides the facts. */
export interface MessageChange extends MessageRecord {
  state: MessageState;
  /** Code of the reason, null for none; undefined if it does not change. */
  reason: string | null | undefined;
  /** Undefined if nothing about the acceptance changes. */
  accepted: SearchKeys | undefined;
  /** Terms of contacts and of later requests that none of the stored facts has. */
  terms: string[];
}

/**
 * How far the time in a message id and that of its acceptance may differ, unless the message is `late`. A search by time reads this much
 * beyond its bounds, which is 60,000 messages at 1,000 a second.
 */
export const ID_SLACK_MS = 60_000;

const emailTerm = (email: string) => `@${matchedEmail(email)}`;
const exactTerm = (value: string) => `=${value}`;

/**
 * The term of a request that named the message after another had. Few messages have one, so it needs no column; it begins like no term of
 * a contact.
 */
export const laterRequestTerm = (requestId: string) => `#${requestId}`;

/** A plus sign that was not escaped arrives as a blank; phone numbers contain no blanks, nor do addresses without quotes. */
const BLANK_FOR_PLUS = /^ \d+$|^[^"]+@[^@ ]+$/;

/** The terms that a search for `contact` matches: a key or contact id exactly, an address in any spelling. */
export function contactTerms(searched: string): string[] {
  const meant = BLANK_FOR_PLUS.test(searched) ? searched.replaceAll(' ', '+') : searched;
  return [...new Set([exactTerm(searched), exactTerm(meant), emailTerm(meant)])];
}

function keyTerms(keys: Record<string, string>): string[] {
  return Object.entries(keys).map(([kind, value]) => (kind === 'email' ? emailTerm(value) : exactTerm(value)));
}

function contactTermsOf({ contact_id, address, keys }: Pick<Ended, 'contact_id' | 'address' | 'keys'>): string[] {
  return [
    ...(contact_id === undefined ? [] : [exactTerm(contact_id)]),
    ...(address === undefined ? [] : [emailTerm(address)]),
    ...keyTerms(keys ?? {}),
  ];
}

function laterRequestTermsOf(facts: Fact[]): string[] {
  const [first, ...later] = acceptancesOf(facts).map(({ request_id }) => request_id);
  return later.filter((requestId) => requestId !== first).map(laterRequestTerm);
}

function termsOf(facts: Fact[]): string[] {
  const contacts = facts.flatMap((fact) => {
    if (fact.type === 'accepted') return keyTerms(fact.contact_key);
    return 'contact_id' in fact || fact.type === 'suppressed' ? contactTermsOf(fact) : [];
  });
  return [...new Set([...contacts, ...laterRequestTermsOf(facts)])];
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

/** What is to be saved when these facts are added to a record; undefined if it has them all. */
export function changeOf(record: MessageRecord, newFacts: Fact[]): MessageChange | undefined {
  const facts = withFacts(record.facts, newFacts);
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
