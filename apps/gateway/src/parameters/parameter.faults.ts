import { childPointer, isObject, quoted } from '@lettermill/contract';
import type { Fault } from '@lettermill/problems';

/** An object can have half a million members; the faults of other calls are counted up to so many, too (docs/send.md 2). */
const MAX_BODY_FAULTS = 10_000;
const READS_NO_BODY = 'This call reads no body';

/** The faults of the query parameters `names`, for a call that has none. */
export function parameterFaults(names: string[]): Fault[] {
  const detail = 'This call has no query parameters.';
  return names.map((name) => ({ pointer: childPointer('/query', name), code: 'unknown_property', detail }));
}

/** The faults of a body for a call that reads none, but may have query parameters (`hasQuery`). Many clients send an empty object. */
export function bodyFaults(body: unknown, hasQuery: boolean): Fault[] {
  if (body === undefined) return [];
  if (!isObject(body))
    return [{ pointer: '', code: 'wrong_type', detail: `${READS_NO_BODY}: send none, or an empty object.` }];
  const names = Object.keys(body).slice(0, MAX_BODY_FAULTS);
  return names.map((name) => {
    const advice = hasQuery ? `; a parameter belongs in the query, such as ${quoted(`?${name}=…`)}` : '';
    return { pointer: childPointer('', name), code: 'unknown_property', detail: `${READS_NO_BODY}${advice}.` };
  });
}
