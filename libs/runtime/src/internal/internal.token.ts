import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header with the token of a forwarded call. */
export const INTERNAL_HEADER = 'x-lettermill-internal';
const TOKEN_LIFETIME_MS = 30_000;

/** What a token allows: one method on one path for one account, for `TOKEN_LIFETIME_MS`. */
export interface InternalCall {
  accountId: string;
  method: string;
  /** Includes the query. */
  path: string;
}

function signature(secret: string, payload: string): Buffer {
  return createHmac('sha256', secret).update(payload).digest();
}

export function signInternal(secret: string, call: InternalCall, now: number): string {
  const claims = { ...call, until: now + TOKEN_LIFETIME_MS };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${signature(secret, payload).toString('base64url')}`;
}

/** The account that the call is for; undefined if the token is not ours, not for this call, or too old. */
export function verifyInternal(
  secret: string,
  token: string,
  call: { method: string; path: string },
  now: number,
): string | undefined {
  const [payload, given] = token.split('.');
  if (!payload || !given) return undefined;
  const expected = signature(secret, payload);
  const actual = Buffer.from(given, 'base64url');
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as InternalCall & { until: number };
  const fits = claims.method === call.method && claims.path === call.path && claims.until >= now;
  return fits ? claims.accountId : undefined;
}
