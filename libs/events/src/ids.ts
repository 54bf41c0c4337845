import { randomFillSync } from 'node:crypto';
import { v7 as uuid } from 'uuid';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TIME_CHARS = 7;
/** Bytes at or above this would favour the first letters; they are drawn again. */
const UNBIASED_BYTE_LIMIT = 256 - (256 % ALPHABET.length);

/** Random bytes are fetched from the system in bulk: a fetch for each id would cost more than the id. */
const pool = Buffer.alloc(8192);
let unreadBytes = 0;

function randomByte(): number {
  if (unreadBytes === 0) {
    randomFillSync(pool);
    unreadBytes = pool.length;
  }
  return pool[--unreadBytes]!;
}

/** A UUIDv7 (RFC 9562). */
export function newUuid(): string {
  const random = new Uint8Array(16);
  for (let i = 0; i < 16; i += 1) random[i] = randomByte();
  return uuid({ random });
}

/** All pairs of letters: a pair is drawn at once, by 16 random bits. */
const PAIRS = [...ALPHABET].flatMap((first) => [...ALPHABET].map((second) => first + second));
const UNBIASED_PAIR_LIMIT = 65_536 - (65_536 % PAIRS.length);

function randomPair(): string {
  for (;;) {
    const bits = (randomByte() << 8) | randomByte();
    if (bits < UNBIASED_PAIR_LIMIT) return PAIRS[bits % PAIRS.length]!;
  }
}

function randomLetter(): string {
  for (;;) {
    const byte = randomByte();
    if (byte < UNBIASED_BYTE_LIMIT) return ALPHABET[byte % ALPHABET.length]!;
  }
}

const MAX_ID_TIME_MS = ALPHABET.length ** TIME_CHARS - 1;

/** How ids of that millisecond begin, or of the nearest one that ids can express: an id made before it is smaller. */
export function idTime(ms: number): string {
  return timeLetters(Math.min(Math.max(Math.floor(ms), 0), MAX_ID_TIME_MS));
}

let lastMs = -1;
let lastLetters = '';

/** Remembers the last result, as many ids are made in the same millisecond. */
function timeLetters(ms: number): string {
  if (ms === lastMs) return lastLetters;
  let rest = ms;
  let letters = '';
  for (let i = 0; i < TIME_CHARS; i += 1) {
    letters = ALPHABET[rest % ALPHABET.length] + letters;
    rest = Math.floor(rest / ALPHABET.length);
  }
  lastMs = ms;
  lastLetters = letters;
  return letters;
}

/**
 * An id of 18 letters and digits (docs/send.md 15): 7 tell the millisecond, so that ids sort by age as plain strings,
 * 11 are random from a CSPRNG (65 bits).
 */
export function newId(now: number): string {
  const eleven = randomPair() + randomPair() + randomPair() + randomPair() + randomPair() + randomLetter();
  return timeLetters(now) + eleven;
}

/** When an id was made, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
  let ms = 0;
  for (const letter of id.slice(0, TIME_CHARS)) ms = ms * ALPHABET.length + ALPHABET.indexOf(letter);
  return ms;
}

/** When a UUIDv7 was made, in milliseconds since the epoch. */
export function timeOfUuid(id: string): number {
  return parseInt(id.replace('-', '').slice(0, 12), 16);
}

/** The id of an event that follows from another: the same cause gives the same id, so that a repeat is recognised. */
export function derivedId(causeId: string, step: string): string {
  return `${causeId}/${step}`;
}
