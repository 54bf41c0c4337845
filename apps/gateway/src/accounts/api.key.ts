import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Problem } from '@lettermill/problems';

const SECRET_BYTES = 32;
const KEY_ID_LENGTH = 18;

/** A new key: a prefix that secret scanners recognise, and 256 random bits. It is shown once and never stored in this form. */
export function newApiKey(): string {
  return `lm_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** The form in which a key is stored. Keys are random, so one round of SHA-256 is enough; slow hashes are for passwords. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** A key's id is the beginning of its hash (in hexadecimal), which reveals nothing about the key. */
export function keyIdOf(hash: string): string {
  return hash.slice(0, KEY_ID_LENGTH);
}

/** Compares in constant time; only the length can leak. */
export function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The key in an `Authorization: Bearer …` header (RFC 6750), or undefined. */
export function bearerKey(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(header ?? '')?.[1];
}

export const UNKNOWN_KEY = 'The API key is unknown, or was revoked.';

/** The 401, which names the scheme to authenticate with. */
export function keyProblem(detail: string): Problem {
  return new Problem('unauthorized', detail, [], { 'www-authenticate': 'Bearer' });
}
