import { cutText } from '@lettermill/contract';
import type {
  Attempt,
  CampaignRef,
  ContactKey,
  CopiesLeft,
  KnownContact,
  LostCopy,
  Priority,
  Reason,
  ReceivedEvent,
  RecipientReply,
} from '@lettermill/events';

/** What is stored of one event about a message: enough for every answer, never a body. `id` is that of the event. */
interface FactOf<T extends string> {
  id: string;
  type: T;
  /** RFC 3339, UTC, milliseconds: when it happened. */
  at: string;
}

export interface Accepted extends FactOf<'accepted'> {
  request_id: string;
  external_message_id?: string;
  contact_key: ContactKey;
  campaign: CampaignRef;
}

export interface ContactResolved extends FactOf<'contact_resolved'> {
  contact_id: string;
  contact_version: number;
  address: string;
  /** Further keys of the contact: `sms`, custom keys, and `email` if the mail goes to another address. */
  keys?: Record<string, string>;
}

export interface Queued extends FactOf<'queued'> {
  priority: Priority;
  expires_at: string | null;
  /** Copies that get no mail because they are suppressed. */
  suppressed_copies?: LostCopy[];
}

export interface Sending extends FactOf<'sending'> {
  number: number;
  next_hop: string;
}

export interface Waiting extends FactOf<'deferred' | 'uncertain'> {
  attempt: Attempt;
  reason: Reason;
  retry_at: string | null;
}

/** An event after which normally no other follows. */
export interface Ended extends FactOf<'sent' | 'bounced' | 'failed' | 'suppressed' | 'cancelled'> {
  attempt?: Attempt;
  reason?: Reason;
  /** Copies that the next hop did not accept. */
  copies?: CopiesLeft;
  /** Set if contacts or the renderer recorded it, before the message reached dispatch. */
  on_the_way?: true;
  /** The suppressed address. */
  address?: string;
  /** The contact, if contacts ended the message and knows one; `keys` are all but the suppressed address. */
  contact_id?: string;
  keys?: Record<string, string>;
}

/** Copies were tried again on their own, or given up: the state of the message stays. */
export interface CopiesTried extends FactOf<'copies'> {
  attempt?: Attempt;
  reason: Reason | null;
  copies: CopiesLeft;
}

/** Somebody asked for attempt `number`, whatever became of earlier attempts. */
export interface Retried extends FactOf<'retried'> {
  number: number;
  /** Copies that get nothing more because they are suppressed by now. */
  suppressed_copies?: LostCopy[];
}

/** A later server refused the mail that the next hop had accepted. */
export interface Returned extends FactOf<'returned'> {
  address: string;
  own: boolean;
  status: string | null;
  reason: Reason;
}

export interface Complained extends FactOf<'complained'> {
  address: string;
}

export type Fact =
  Accepted | ContactResolved | Queued | Sending | Waiting | Retried | Ended | CopiesTried | Returned | Complained;

const MAX_TEXT_LENGTH = 1000;
/** Shorter, because a mail may have many copies. */
const MAX_RECIPIENT_TEXT_LENGTH = 200;

const instant = (text: string) => new Date(text).toISOString();
const short = (text: string, maxLength = MAX_TEXT_LENGTH) =>
  text.length > maxLength ? `${cutText(text, maxLength - 1)}…` : text;

/** Servers may send long replies: their texts are cut, their codes never. */
function attemptOf(attempt: Attempt): Attempt {
  const { number, at, ended_at, next_hop, remote_address, tls, outcome, reply, recipients, detail } = attempt;
  return {
    number,
    at,
    ended_at,
    next_hop,
    ...(remote_address !== undefined && { remote_address }),
    ...(tls !== undefined && { tls }),
    outcome,
    reply: reply && { ...reply, text: short(reply.text) },
    ...(recipients && { recipients: recipients.map(recipientOf) }),
    ...(detail !== undefined && { detail: short(detail) }),
  };
}

function recipientOf({ address, reply }: RecipientReply): RecipientReply {
  return { address, reply: reply && { ...reply, text: short(reply.text, MAX_RECIPIENT_TEXT_LENGTH) } };
}

function lostOf({ address, code, detail }: LostCopy): LostCopy {
  return { address, code, detail: short(detail, MAX_RECIPIENT_TEXT_LENGTH) };
}

function lostCopiesOf({ suppressed_copies: lost }: { suppressed_copies?: LostCopy[] }) {
  return lost && { suppressed_copies: lost.map(lostOf) };
}

function copiesOf({ waiting, given_up, retry_at }: CopiesLeft): CopiesLeft {
  return { waiting, given_up: given_up.map(lostOf), retry_at };
}

function otherKeysOf(contact: KnownContact, writtenTo?: string): Pick<ContactResolved, 'keys'> {
  const { email, sms } = contact;
  const keys = {
    ...contact.keys,
    ...(sms !== null && { sms }),
    ...(email !== null && email !== writtenTo && { email }),
  };
  return Object.keys(keys).length > 0 ? { keys } : {};
}

const reasonOf = ({ code, detail }: Reason): Reason => ({ code, detail: short(detail) });

/**
 * The fact that an event states about its message; undefined for events that are not about a message. Throws RangeError if the time of the
 * event is invalid.
 */
export function factOf(event: ReceivedEvent): Fact | undefined {
  const { id } = event;
  switch (event.type) {
    case 'MessageRequested': {
      const { request_id, external_message_id, contact_key, campaign, accepted_at } = event.data;
      const named = external_message_id === undefined ? {} : { external_message_id };
      return { id, type: 'accepted', at: instant(accepted_at), request_id, ...named, contact_key, campaign };
    }
    case 'ContactUpserted': {
      const { contact, to } = event.data;
      const about = { contact_id: contact.id, contact_version: contact.version, address: to.email };
      return { id, type: 'contact_resolved', at: instant(event.time), ...about, ...otherKeysOf(contact, to.email) };
    }
    case 'MessageQueued': {
      const { priority, expires_at } = event.data;
      return { id, type: 'queued', at: instant(event.time), priority, expires_at, ...lostCopiesOf(event.data) };
    }
    case 'MessageSending': {
      const { attempt, next_hop } = event.data;
      return { id, type: 'sending', at: instant(event.time), number: attempt, next_hop };
    }
    case 'MessageDeferred':
      return { id, type: 'deferred', ...waitingFields(event.data) };
    case 'MessageUncertain':
      return { id, type: 'uncertain', ...waitingFields(event.data) };
    case 'MessageSent':
      return { id, type: 'sent', ...endedFields(event) };
    case 'MessageBounced':
      return { id, type: 'bounced', ...endedFields(event) };
    case 'MessageFailed':
      return { id, type: 'failed', ...endedFields(event), ...refusedFields(event.data) };
    case 'MessageSuppressed':
      return { id, type: 'suppressed', ...endedFields(event), ...refusedFields(event.data) };
    case 'MessageCancelled':
      return { id, type: 'cancelled', ...endedFields(event) };
    case 'MessageCopiesTried': {
      const { attempt, reason, copies } = event.data;
      const at = instant(attempt?.ended_at ?? event.time);
      const tried = attempt && { attempt: attemptOf(attempt) };
      return { id, type: 'copies', at, ...tried, reason: reason && reasonOf(reason), copies: copiesOf(copies) };
    }
    case 'MessageRetried':
      return { id, type: 'retried', at: instant(event.time), number: event.data.attempt, ...lostCopiesOf(event.data) };
    case 'MessageReturned': {
      const { address, own, status, reason } = event.data;
      return { id, type: 'returned', at: instant(event.time), address, own, status, reason: reasonOf(reason) };
    }
    case 'MessageComplained':
      return { id, type: 'complained', at: instant(event.time), address: event.data.address };
    // The event that ends the message names the contact, too.
    case 'ContactChanged':
    case 'CampaignLaunched':
      return undefined;
  }
}

function waitingFields({ attempt, reason, retry_at }: { attempt: Attempt; reason: Reason; retry_at: string | null }) {
  return { at: instant(attempt.ended_at), attempt: attemptOf(attempt), reason: reasonOf(reason), retry_at };
}

type EndEvent = Pick<ReceivedEvent, 'source' | 'time'> & { data: Pick<Ended, 'attempt' | 'reason' | 'copies'> };

function endedFields({ source, time, data: { attempt, reason, copies } }: EndEvent) {
  return {
    at: instant(attempt?.ended_at ?? time),
    ...(attempt && { attempt: attemptOf(attempt) }),
    ...(reason && { reason: reasonOf(reason) }),
    ...(copies && { copies: copiesOf(copies) }),
    ...(source !== 'dispatch' && { on_the_way: true as const }),
  };
}

function refusedFields({ address, contact }: { address?: string; contact?: KnownContact }) {
  return {
    ...(address !== undefined && { address }),
    ...(contact && { contact_id: contact.id, ...otherKeysOf(contact, address) }),
  };
}

/** All acceptances: several if a call took the place of an unanswered one whose messages were on the log. */
export function acceptancesOf(facts: Fact[]): Accepted[] {
  return facts.filter((fact) => fact.type === 'accepted');
}

/** The first acceptance, which every answer is about. */
export function acceptedOf(facts: Fact[]): Accepted | undefined {
  return facts.find((fact): fact is Accepted => fact.type === 'accepted');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The id of the event; not enough for an acceptance, whose event has the id of the message, whatever call recorded it. */
const identityOf = (fact: Fact) => (fact.type === 'accepted' ? `${fact.id} ${fact.request_id}` : fact.id);

/** By time, then by identity: a set of facts has one order, whatever order they arrived in. */
function byTime(a: Fact, b: Fact): number {
  return compare(a.at, b.at) || compare(identityOf(a), identityOf(b));
}

/** The facts with the new ones in their places. Returns `known` itself if it has all of them. */
export function withFacts(known: Fact[], newFacts: Fact[]): Fact[] {
  const identities = new Set(known.map(identityOf));
  const added = newFacts.filter((fact) => !identities.has(identityOf(fact)) && identities.add(identityOf(fact)));
  return added.length === 0 ? known : [...known, ...added].sort(byTime);
}
