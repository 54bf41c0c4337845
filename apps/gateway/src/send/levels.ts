/** The request or one of its recipients, whatever is there in its place. */
export interface Level {
  one: unknown;
  pointer: string;
}

/** More recipients are a fault of their own, and not looked at. */
const MOST_RECIPIENTS = 100;

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whatever stands for a recipient. */
export function recipientsIn({ to }: Json): Level[] {
  return Array.isArray(to)
    ? (to as unknown[]).slice(0, MOST_RECIPIENTS).map((one, at) => ({ one, pointer: `/to/${at}` }))
    : [{ one: to, pointer: '/to' }];
}

/** The request, then its recipients: each may have a message and attachments. */
export function levelsIn(body: Json): Level[] {
  return [{ one: body, pointer: '' }, ...recipientsIn(body)];
}
