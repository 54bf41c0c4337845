import type { Finding } from './rules';
import { below, quoted } from '../shown';
import { isWellFormed, loneSurrogateAt } from '../unicode';

/** UTF-8 bytes of the compact JSON of one profile_data, and its levels, the object itself being the first (docs/send.md 8). */
const MAX_PROFILE_BYTES = 64 * 1024;
const MAX_PROFILE_LEVELS = 32;

/** More values than 64 KiB can hold: data with more is too large in any case, and is not examined further. */
const MOST_VALUES = 100_000;

/** A UTF-16 unit takes at most six bytes in JSON (an escape). */
const WORST_BYTES = 6;

/**
 * The estimate below is at most 26 times too high (a digit counts as 25 bytes and a comma). Above this the JSON is surely
 * over 1 MiB, and need not be examined further.
 */
const HUGE = 32 * 1024 * 1024;

/** An upper bound of the bytes that its JSON takes, up to HUGE; Infinity for a value that breaks another rule. One walk, no copy. */
function atMostBytes(value: unknown, level: number): number {
  if (typeof value === 'string') return isWellFormed(value) ? value.length * WORST_BYTES + 2 : Infinity;
  if (typeof value === 'number') return Number.isFinite(value) ? 25 : Infinity;
  if (typeof value !== 'object' || value === null) return 5;
  if (level > MAX_PROFILE_LEVELS) return Infinity;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && bytes < HUGE; i += 1) bytes += atMostBytes(value[i], level + 1) + 1;
    return bytes;
  }
  for (const key in value) {
    if (bytes >= HUGE) return bytes;
    if (!isWellFormed(key)) return Infinity;
    bytes += key.length * WORST_BYTES + 4 + atMostBytes((value as Members)[key], level + 1);
  }
  return bytes;
}

type Members = Record<string, unknown>;

interface Walk {
  findings: Finding[];
  values: number;
  tooDeep: boolean;
  /** Keys from the profile_data to the current value. They become a JSON Pointer only when something is found. */
  path: (string | number)[];
}

const pointerOf = ({ path }: Walk): string => path.reduce<string>(below, '');

function textFindings(text: string, walk: Walk): void {
  if (isWellFormed(text)) return;
  const detail = `${quoted(text)} contains half a surrogate pair at offset ${loneSurrogateAt(text)}`;
  walk.findings.push({ code: 'invalid_unicode', at: pointerOf(walk), detail });
}

function collectInner(value: unknown, key: string | number, level: number, walk: Walk): void {
  walk.path.push(key);
  collect(value, level, walk);
  walk.path.pop();
}

/** Repeats the walk of `atMostBytes` and collects findings. */
function collect(value: unknown, level: number, walk: Walk): void {
  walk.values += 1;
  if (walk.values > MOST_VALUES) return;
  if (typeof value === 'string') return textFindings(value, walk);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const detail = 'the number is too large for a 64-bit float';
    walk.findings.push({ code: 'not_allowed_value', at: pointerOf(walk), detail });
  }
  if (typeof value !== 'object' || value === null) return;
  if (level > MAX_PROFILE_LEVELS) {
    const detail = `level ${level} begins here; at most ${MAX_PROFILE_LEVELS}`;
    if (!walk.tooDeep) walk.findings.push({ code: 'profile_data_too_deep', at: pointerOf(walk), detail });
    walk.tooDeep = true;
    return;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && walk.values <= MOST_VALUES; i += 1) collectInner(value[i], i, level + 1, walk);
    return;
  }
  for (const key in value) {
    if (walk.values > MOST_VALUES) return;
    textFindings(key, walk);
    collectInner((value as Members)[key], key, level + 1, walk);
  }
}

function tooLarge(found: string): Finding {
  return {
    code: 'profile_data_too_large',
    detail: `found ${found} bytes of compact JSON; at most ${MAX_PROFILE_BYTES}`,
  };
}

export function profile(data: object): Finding[] | undefined {
  const most = atMostBytes(data, 1);
  if (most <= MAX_PROFILE_BYTES) return undefined;
  if (most >= HUGE && most < Infinity) return [tooLarge('more than a million')];
  const walk: Walk = { findings: [], values: 0, tooDeep: false, path: [] };
  // If the estimate is finite, no other rule is broken, and only the size needs to be checked.
  if (most === Infinity) collect(data, 1, walk);
  if (walk.values > MOST_VALUES) return [...walk.findings, tooLarge('far too many')];
  const bytes = walk.tooDeep ? 0 : Buffer.byteLength(JSON.stringify(data));
  if (bytes > MAX_PROFILE_BYTES) walk.findings.push(tooLarge(String(bytes)));
  return walk.findings.length > 0 ? walk.findings : undefined;
}
