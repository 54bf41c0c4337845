import { validationFailed, type Fault } from '@lettermill/problems';
import type { SuppressionPlace } from './suppressions.store';

export interface SuppressionsQuery {
  limit: number;
  after: SuppressionPlace | null;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Opaque to callers: the place after which the next page begins. */
export function cursorOf({ at, address }: SuppressionPlace): string {
  return Buffer.from(JSON.stringify([at, address])).toString('base64url');
}

function placeOf(cursor: string): SuppressionPlace | undefined {
  try {
    const [at, address] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    return Number.isSafeInteger(at) && typeof address === 'string' ? { at: at as number, address } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads `limit` (1 to 100, default 20) and `cursor`. Throws the 422 problem with a fault for every bad parameter. */
export function readSuppressionsQuery(query: Record<string, unknown>): SuppressionsQuery {
  const faults: Fault[] = [];
  const read: SuppressionsQuery = { limit: DEFAULT_LIMIT, after: null };
  for (const [name, value] of Object.entries(query)) {
    const pointer = `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (name === 'limit') {
      read.limit = Number(value);
      const fits = typeof value === 'string' && /^\d{1,3}$/.test(value) && read.limit >= 1 && read.limit <= MAX_LIMIT;
      if (!fits) faults.push({ pointer, code: 'bad_format', detail: `Must be a whole number, 1 to ${MAX_LIMIT}.` });
    } else if (name === 'cursor') {
      read.after = (typeof value === 'string' ? placeOf(value) : undefined) ?? null;
      if (!read.after) faults.push({ pointer, code: 'bad_format', detail: 'Must be a next_cursor of this list.' });
    } else {
      faults.push({ pointer, code: 'unknown_property', detail: 'This list takes limit and cursor.' });
    }
  }
  if (faults.length > 0) throw validationFailed(faults);
  return read;
}
