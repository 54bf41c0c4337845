import type { Json } from '@lettermill/contract';

/** The request or one of its recipients; `one` may be anything. */
export interface RequestLevel {
  one: unknown;
  pointer: string;
}

/** Recipients that are checked; more than these are a fault of their own, and are not checked. */
const MAX_CHECKED_RECIPIENTS = 100;

/** The recipients; each may be anything. */
export function recipientsIn({ to }: Json): RequestLevel[] {
  return Array.isArray(to)
    ? (to as unknown[]).slice(0, MAX_CHECKED_RECIPIENTS).map((one, at) => ({ one, pointer: `/to/${at}` }))
    : [{ one: to, pointer: '/to' }];
}

/** The request, then its recipients: each of them may have a message and attachments. */
export function levelsIn(body: Json): RequestLevel[] {
  return [{ one: body, pointer: '' }, ...recipientsIn(body)];
}
