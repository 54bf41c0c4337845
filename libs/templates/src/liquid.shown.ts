import { Drop } from 'liquidjs';
import type { Limiter } from './liquid.limits';

/** A strict rendering would show a whole object, which helps the reader of the mail no more than a missing value. */
export class ObjectShown extends Error {
  constructor() {
    super('an object is shown as a whole');
  }
}

function holdsObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Drop) return false;
  return !Array.isArray(value) || value.some(holdsObject);
}

/** What is shown for a value that becomes text: compact JSON for an object or a list that contains one, otherwise the value itself. */
export function shownValue(value: unknown, memory: Limiter, strict: boolean): unknown {
  if (typeof value !== 'object' || !holdsObject(value)) return value;
  if (strict) throw new ObjectShown();
  // Lists that contain one another may exceed the memory limit as text, so the text is counted while it grows.
  return JSON.stringify(value, (_, inner: unknown) => {
    memory.use(typeof inner === 'string' ? inner.length + 2 : 2);
    return inner;
  });
}
