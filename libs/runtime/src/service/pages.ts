import { childPointer } from '@lettermill/contract';
import { validationFailed, type Fault } from '@lettermill/problems';

/** The part of a list that is requested. */
export interface PageQuery<Place> {
  limit: number;
  /** The place after which the page begins; null: from the start. */
  after: Place | null;
  /** The value of each filter in the request. */
  filters: Record<string, string>;
}

/** The values that each filter may have. */
type KnownFilters = Record<string, readonly string[]>;

/** How many entries a page of any list may have. */
export const PAGE_LIMIT = { default: 20, max: 100 };
export const PAGE_LIMIT_DETAIL = `Must be a whole number from 1 to ${PAGE_LIMIT.max}.`;

/** 0 if the text is not a limit. */
export function readPageLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit <= PAGE_LIMIT.max ? limit : 0;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads `limit`, `cursor` (by `placeOf`; undefined means invalid), and filters. Throws the 422 problem with a fault for
 * every invalid or unknown parameter.
 */
export function readPageQuery<Place>(
  query: Record<string, unknown>,
  placeOf: (cursor: string) => Place | undefined,
  known: KnownFilters = {},
): PageQuery<Place> {
  const { limit: givenLimit = String(PAGE_LIMIT.default), cursor, ...others } = query;
  const faults: Fault[] = [];
  const limit = readPageLimit(textOf(givenLimit));
  if (limit === 0) faults.push({ pointer: '/query/limit', code: 'bad_format', detail: PAGE_LIMIT_DETAIL });
  const after = cursor === undefined ? null : placeOf(textOf(cursor));
  const cursorDetail = 'Must be a next_cursor of this list.';
  if (after === undefined) faults.push({ pointer: '/query/cursor', code: 'bad_format', detail: cursorDetail });
  const accepted = `This list accepts ${[...Object.keys(known), 'limit'].join(', ')} and cursor.`;
  faults.push(...filterFaults(others, known, accepted));
  if (faults.length > 0) throw validationFailed(faults);
  return { limit, after: after ?? null, filters: others as Record<string, string> };
}

/** Reads the parameters of a call that has only filters. Throws the 422 problem with a fault for every invalid or unknown one. */
export function readFilters(query: Record<string, unknown>, known: KnownFilters): Record<string, string> {
  const faults = filterFaults(query, known, `This call accepts ${Object.keys(known).join(', ')}.`);
  if (faults.length > 0) throw validationFailed(faults);
  return query as Record<string, string>;
}

function filterFaults(query: Record<string, unknown>, known: KnownFilters, accepted: string): Fault[] {
  return Object.entries(query).flatMap(([name, value]): Fault[] => {
    const pointer = childPointer('/query', name);
    if (!Object.hasOwn(known, name)) return [{ pointer, code: 'unknown_property', detail: accepted }];
    const values = known[name]!;
    const detail = `Must be one of ${values.join(', ')}, given once.`;
    return values.includes(textOf(value)) ? [] : [{ pointer, code: 'not_allowed_value', detail }];
  });
}

/** A page of a list, as the answer has it. */
export interface Page<Body> {
  data: Body[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** A page of `limit` entries. The query asked for one more: if that was `found`, there is a next page. */
export function pageOf<Found, Body>(
  found: Found[],
  limit: number,
  bodyOf: (one: Found) => Body,
  cursorOf: (last: Found) => string,
): Page<Body> {
  const shown = found.slice(0, limit);
  return {
    data: shown.map((one) => bodyOf(one)),
    next_cursor: found.length > limit ? cursorOf(shown.at(-1)!) : null,
  };
}
