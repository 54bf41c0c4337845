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

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * Reads `limit` (1 to 100, default 20), `cursor` (by `placeOf`; undefined means invalid), and filters, whose allowed values are in `known`.
 * Throws the 422 problem with a fault for every invalid or unknown parameter.
 */
export function readPageQuery<Place>(
  query: Record<string, unknown>,
  placeOf: (cursor: string) => Place | undefined,
  known: Record<string, readonly string[]> = {},
): PageQuery<Place> {
  const faults: Fault[] = [];
  const read: PageQuery<Place> = { limit: DEFAULT_LIMIT, after: null, filters: {} };
  for (const [name, value] of Object.entries(query)) {
    const pointer = childPointer('/query', name);
    const text = typeof value === 'string' ? value : '';
    if (name === 'limit') {
      read.limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
      const fits = read.limit >= 1 && read.limit <= MAX_LIMIT;
      if (!fits) faults.push({ pointer, code: 'bad_format', detail: `Must be a whole number from 1 to ${MAX_LIMIT}.` });
    } else if (name === 'cursor') {
      read.after = placeOf(text) ?? null;
      if (read.after === null)
        faults.push({ pointer, code: 'bad_format', detail: 'Must be a next_cursor of this list.' });
    } else if (Object.hasOwn(known, name)) {
      const values = known[name]!;
      read.filters[name] = text;
      const detail = `Must be one of ${values.join(', ')}, given once.`;
      if (!values.includes(text)) faults.push({ pointer, code: 'not_allowed_value', detail });
    } else {
      const names = [...Object.keys(known), 'limit'].join(', ');
      faults.push({ pointer, code: 'unknown_property', detail: `This list accepts ${names} and cursor.` });
    }
  }
  if (faults.length > 0) throw validationFailed(faults);
  return read;
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
