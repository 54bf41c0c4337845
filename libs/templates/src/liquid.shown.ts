import { Drop } from 'liquidjs';
import type { Limiter } from './liquid.limits';

/** A strict rendering would show what tells the reader of the mail nothing. */
export abstract class NothingTold extends Error {
  /** Why, for the output that would show it. */
  abstract explain(output: string): string;
}

/** A whole object helps the reader no more than a missing value. */
export class ObjectShown extends NothingTold {
  explain(output: string): string {
    return `an object is shown as a whole by ${output}; name a value in it`;
  }
}

/** A filter found nothing, or a list has nothing in one of its places. */
export class MissingShown extends NothingTold {
  explain(output: string): string {
    return `a value is missing in ${output}`;
  }
}

export function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function holdsMissing(value: unknown): boolean {
  return isMissing(value) || (Array.isArray(value) && value.some(holdsMissing));
}

function holdsObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Drop) return false;
  return !Array.isArray(value) || value.some(holdsObject);
}

/** Throws if a list that becomes text has a missing value in it. */
export function refuseGaps(list: unknown[]): void {
  if (holdsMissing(list)) throw new MissingShown();
}

/** What is shown for a value that becomes text: compact JSON for an object or a list that contains one, otherwise the value itself. */
export function shownValue(value: unknown, memory: Limiter, strict: boolean): unknown {
  if (typeof value !== 'object') return value;
  if (strict && Array.isArray(value)) refuseGaps(value);
  if (!holdsObject(value)) return value;
  if (strict) throw new ObjectShown();
  // Lists that contain one another may exceed the memory limit as text, so the text is counted while it grows.
  return JSON.stringify(value, (_, inner: unknown) => {
    memory.use(typeof inner === 'string' ? inner.length + 2 : 2);
    return inner;
  });
}
