import type { Finding } from './rules';
import { childPointer, quoted } from '../fault.wording';
import { isWellFormed, loneSurrogateAt } from '../unicode';

/** UTF-8 bytes of the compact JSON of one profile_data, and its levels, the object itself being the first (docs/send.md 8). */
const MAX_PROFILE_BYTES = 64 * 1024;
const MAX_PROFILE_LEVELS = 32;

/** More values than 64 KiB can hold: data with more is too large in any case, and is not examined further. */
const MAX_WALKED_VALUES = 100_000;

/** A UTF-16 unit takes at most six bytes in JSON (an escape). */
const MAX_BYTES_PER_UNIT = 6;

/**
 * The estimate below is at most 26 times too high (a digit counts as 25 bytes and a comma). Above this the JSON is surely
 * over 1 MiB, and need not be examined further.
 */
const SURELY_TOO_LARGE_BYTES = 32 * 1024 * 1024;

/** An upper bound of the bytes that its JSON takes, up to `SURELY_TOO_LARGE_BYTES`; Infinity for a value that breaks another rule. One walk, no copy. */
function maxJsonBytes(value: unknown, level: number): number {
  if (typeof value === 'string') return isWellFormed(value) ? value.length * MAX_BYTES_PER_UNIT + 2 : Infinity;
  if (typeof value === 'number') return Number.isFinite(value) ? 25 : Infinity;
  if (typeof value !== 'object' || value === null) return 5;
  if (level > MAX_PROFILE_LEVELS) return Infinity;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && bytes < SURELY_TOO_LARGE_BYTES; i += 1)
      bytes += maxJsonBytes(value[i], level + 1) + 1;
    return bytes;
  }
  for (const key in value) {
    if (bytes >= SURELY_TOO_LARGE_BYTES) return bytes;
    if (!isWellFormed(key)) return Infinity;
    bytes += key.length * MAX_BYTES_PER_UNIT + 4 + maxJsonBytes((value as Members)[key], level + 1);
  }
  return bytes;
}

type Members = Record<string, unknown>;

interface ProfileWalk {
  findings: Finding[];
  values: number;
  /** Its JSON has no fewer bytes, as far as it was walked. */
  leastBytes: number;
  tooDeep: boolean;
  /** Keys from the profile_data to the current value. They become a JSON Pointer only when something is found. */
  path: (string | number)[];
}

const pointerOf = ({ path }: ProfileWalk): string => path.reduce<string>(childPointer, '');

function textFindings(text: string, walk: ProfileWalk): void {
  walk.leastBytes += Buffer.byteLength(text);
  if (isWellFormed(text)) return;
  const detail = `${quoted(text)} contains half a surrogate pair at offset ${loneSurrogateAt(text)}`;
  walk.findings.push({ code: 'invalid_unicode', at: pointerOf(walk), detail });
}

function collectInner(value: unknown, key: string | number, level: number, walk: ProfileWalk): void {
  walk.path.push(key);
  collectFindings(value, level, walk);
  walk.path.pop();
}

/** Repeats the walk of `maxJsonBytes` and collects findings. */
function collectFindings(value: unknown, level: number, walk: ProfileWalk): void {
  walk.values += 1;
  walk.leastBytes += 1;
  if (walk.values > MAX_WALKED_VALUES) return;
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
    for (let i = 0; i < value.length && walk.values <= MAX_WALKED_VALUES; i += 1)
      collectInner(value[i], i, level + 1, walk);
    return;
  }
  for (const key in value) {
    if (walk.values > MAX_WALKED_VALUES) return;
    textFindings(key, walk);
    collectInner((value as Members)[key], key, level + 1, walk);
  }
}

function tooLargeFinding(found: string): Finding {
  return {
    code: 'profile_data_too_large',
    detail: `found ${found} bytes of compact JSON; at most ${MAX_PROFILE_BYTES}`,
  };
}

export function profile(data: object): Finding[] | undefined {
  const upperBound = maxJsonBytes(data, 1);
  if (upperBound <= MAX_PROFILE_BYTES) return undefined;
  if (upperBound >= SURELY_TOO_LARGE_BYTES && upperBound < Infinity) return [tooLargeFinding('more than a million')];
  if (upperBound === Infinity) return brokenFindings(data);
  const bytes = Buffer.byteLength(JSON.stringify(data));
  return bytes > MAX_PROFILE_BYTES ? [tooLargeFinding(String(bytes))] : undefined;
}

/** Of data that breaks another rule, too, the JSON is not written: half surrogate pairs make that slow, seconds for a whole body. */
function brokenFindings(data: object): Finding[] {
  const walk: ProfileWalk = { findings: [], values: 0, leastBytes: 0, tooDeep: false, path: [] };
  collectFindings(data, 1, walk);
  if (walk.values > MAX_WALKED_VALUES) return [...walk.findings, tooLargeFinding('far too many')];
  if (walk.leastBytes > MAX_PROFILE_BYTES) return [...walk.findings, tooLargeFinding(`at least ${walk.leastBytes}`)];
  return walk.findings;
}
