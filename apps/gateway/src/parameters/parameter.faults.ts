import { childPointer } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';

/** The faults of the query parameters `names`, for a call that has none. */
export function parameterFaults(names: string[]): Fault[] {
  const detail = 'This call has no query parameters.';
  return names.map((name) => ({ pointer: childPointer('/query', name), code: 'unknown_property', detail }));
}
