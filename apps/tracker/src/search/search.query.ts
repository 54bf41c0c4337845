import { childPointer, isExternalMessageId, isId, isSlug } from '@lettermill/contract';
import { MESSAGE_STATES, type MessageState } from '@lettermill/events';
import { REASONS, validationFailed, type Fault, type FaultCode } from '@lettermill/problems';
import { PAGE_LIMIT, PAGE_LIMIT_DETAIL, readPageLimit } from '@lettermill/runtime';
import { contactTerms } from '../timeline/message.record';
import type { MessageFilter, MessagePage } from '../timeline/messages.store';

export interface SearchQuery {
  filter: MessageFilter;
  page: MessagePage;
}

type InvalidValue = { code: FaultCode; detail: string };

const MAX_CONTACT_LENGTH = 1000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const badFormat = (detail: string): InvalidValue => ({ code: 'bad_format', detail });

/** Opaque to callers: the id after which the next page begins. */
export function cursorOf(messageId: string): string {
  return Buffer.from(messageId).toString('base64url');
}

/** Milliseconds since the epoch; undefined if the text is not an RFC 3339 instant. */
export function instantOf(text: string): number | undefined {
  // A plus sign that was not escaped in the query arrives as a blank.
  const mended = text.toUpperCase().replace(/ (?=\d\d:\d\d$)/, '+');
  const [, date] = RFC_3339.exec(mended) ?? [];
  if (date === undefined) return undefined;
  const day = new Date(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
  return exists ? Date.parse(mended) : undefined;
}

function instantReader(name: 'from' | 'to'): Reader {
  return (text, { filter }) => {
    filter[name] = instantOf(text);
    return filter[name] === undefined
      ? badFormat('Must be an RFC 3339 instant, such as 2026-01-31T08:00:00Z.')
      : undefined;
  };
}

/** Reads one parameter into the query; returns what is wrong with it. */
type Reader = (text: string, into: SearchQuery) => InvalidValue | undefined;

const READERS: Record<string, Reader> = {
  external_message_id: (text, { filter }) => {
    filter.externalMessageId = text;
    return isExternalMessageId(text) ? undefined : badFormat('Must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -');
  },
  contact: (text, { filter }) => {
    filter.contact = contactTerms(text);
    if (text.length === 0) return { code: 'too_short', detail: 'Must have at least 1 character.' };
    const fits = text.length <= MAX_CONTACT_LENGTH;
    return fits ? undefined : { code: 'too_long', detail: `Must have at most ${MAX_CONTACT_LENGTH} characters.` };
  },
  campaign: (text, { filter }) => {
    filter.campaign = text;
    return isSlug(text) ? undefined : badFormat('Must be the slug or the id of a campaign.');
  },
  state: (text, { filter }) => {
    filter.states = [...new Set(text.split(','))] as MessageState[];
    if (filter.states.every((state) => MESSAGE_STATES.includes(state))) return undefined;
    const detail = `Must be one of ${MESSAGE_STATES.join(', ')}, or several of them separated by commas.`;
    return { code: 'not_allowed_value', detail };
  },
  reason: (text, { filter }) => {
    filter.reason = text;
    if (Object.hasOwn(REASONS, text)) return undefined;
    return { code: 'not_allowed_value', detail: `Must be one of ${Object.keys(REASONS).join(', ')}.` };
  },
  request_id: (text, { filter }) => {
    filter.requestId = text.toLowerCase();
    return UUID.test(text) ? undefined : badFormat('Must be a UUID.');
  },
  from: instantReader('from'),
  to: instantReader('to'),
  limit: (text, { page }) => {
    page.limit = readPageLimit(text);
    return page.limit > 0 ? undefined : badFormat(PAGE_LIMIT_DETAIL);
  },
  cursor: (text, { page }) => {
    page.before = Buffer.from(text, 'base64url').toString('latin1');
    return isId(page.before) ? undefined : badFormat('Must be a next_cursor returned by a search.');
  },
};

/** Parameters that may be given several times instead of with commas: many clients write a list so. */
const LISTS = ['state'];

/** Names of all search parameters. */
export const SEARCH_PARAMETERS: readonly string[] = Object.keys(READERS);

function faultIn(name: string, value: unknown, into: SearchQuery): InvalidValue | undefined {
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (!reader) return { code: 'unknown_property', detail: `The parameters are ${SEARCH_PARAMETERS.join(', ')}.` };
  const text = Array.isArray(value) && LISTS.includes(name) ? value.join(',') : value;
  if (typeof text !== 'string') return { code: 'wrong_type', detail: 'Must be given only once.' };
  return reader(text, into);
}

/** Reads the parameters of a search. Throws the 422 problem with a fault for each invalid or unknown one. */
export function readSearchQuery(query: Record<string, unknown>): SearchQuery {
  const read: SearchQuery = { filter: {}, page: { limit: PAGE_LIMIT.default } };
  const faults = Object.entries(query).flatMap(([name, value]): Fault[] => {
    const wrong = faultIn(name, value, read);
    return wrong ? [{ pointer: childPointer('/query', name), ...wrong }] : [];
  });
  if (faults.length > 0) throw validationFailed(faults);
  return read;
}
