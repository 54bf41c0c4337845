import { Drop } from 'liquidjs';
import type { Limiter } from './liquid.limits';

/** A strict rendering shows an object whole: who reads the mail would make as little of it as of nothing. */
export class ObjectShown extends Error {
  constructor() {
    super('an object is shown as a whole');
  }
}

function holdsObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Drop) return false;
  return !Array.isArray(value) || value.some(holdsObject);
}

/** What stands for a value where it becomes text: compact JSON for an object and a list that holds one, all else itself. */
export function shownValue(value: unknown, memory: Limiter, strict: boolean): unknown {
  if (typeof value !== 'object' || !holdsObject(value)) return value;
  if (strict) throw new ObjectShown();
  // Lists that hold one another may be larger as text than all that may be made: it is counted as it grows.
  return JSON.stringify(value, (_, inner: unknown) => {
    memory.use(typeof inner === 'string' ? inner.length + 2 : 2);
    return inner;
  });
}
