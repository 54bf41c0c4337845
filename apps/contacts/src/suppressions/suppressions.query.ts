import type { SuppressionPlace } from './suppressions.store';

/** Opaque to callers: the place after which the next page begins. */
export function cursorOf({ at, address }: SuppressionPlace): string {
  return Buffer.from(JSON.stringify([at, address])).toString('base64url');
}

/** Undefined if the cursor is not one of ours. */
export function placeOf(cursor: string): SuppressionPlace | undefined {
  try {
    const [at, address] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    return Number.isSafeInteger(at) && typeof address === 'string' ? { at: at as number, address } : undefined;
  } catch {
    return undefined;
  }
}
