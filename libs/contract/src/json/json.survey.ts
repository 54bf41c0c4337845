import { isExact } from './json.number';

/** Levels of nesting that a body may have; checked before parsing, so that no body can exhaust the memory with them. */
export const MAX_JSON_DEPTH = 64;

/** Values that a body may have; counted before parsing, because 22 MB of empty arrays would take 3 GB of memory. */
export const MAX_JSON_VALUES = 500_000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
/** `{` and `}`. With bit 5 set, `[` becomes the first and `]` the second, which saves two comparisons. */
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Position just after the string whose opening quote is at `start`; the end of the text if the string never closes. */
function afterString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** Matches a number, and any number characters that follow it directly. */
const NUMBER = /[-+.0-9eE]*/y;
/** Numbers of up to this many characters are always exact, unless they have an exponent. */
const MAX_EXACT_NUMBER_LENGTH = 15;

export function numberAt(text: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)![0];
}

interface Survey {
  members: number;
  /** Commas and opening brackets: the number of values less one, plus one for each empty array or object. Counted up to the limit. */
  values: number;
  /** Where the nesting first is too deep; -1 if nowhere. */
  tooDeepAt: number;
  /** Where the first number stands that a float would not keep exactly; -1 if nowhere. */
  inexactAt: number;
}

/** What must be known of a text before it is parsed. Any text may be given, JSON or not. */
export function survey(text: string): Survey {
  let inexactAt = -1;
  let members = 0;
  let values = 0;
  let depth = 0;
  let i = 0;
  while (i < text.length && values < MAX_JSON_VALUES) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = afterString(text, i);
      continue;
    }
    if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const number = numberAt(text, i);
      if (inexactAt < 0 && (number.length > MAX_EXACT_NUMBER_LENGTH || /[eE]/.test(number)) && !isExact(number))
        inexactAt = i;
      i += number.length;
      continue;
    }
    if (code === COLON) members += 1;
    else if (code === COMMA) values += 1;
    else if ((code | 32) === OPEN) {
      values += 1;
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return { members, values, tooDeepAt: i, inexactAt };
    } else if ((code | 32) === CLOSE) depth -= 1;
    i += 1;
  }
  return { members, values, tooDeepAt: -1, inexactAt };
}

function afterStringBytes(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return bytes.length;
}

/** `values` of the survey, from the bytes: estimates how much memory parsing will take before the text is parsed. */
export function countValues(bytes: Buffer): number {
  let values = 0;
  let i = 0;
  while (i < bytes.length && values < MAX_JSON_VALUES) {
    const code = bytes[i]!;
    if (code === QUOTE) {
      i = afterStringBytes(bytes, i);
      continue;
    }
    if (code === COMMA || (code | 32) === OPEN) values += 1;
    i += 1;
  }
  return values;
}
