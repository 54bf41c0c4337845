import { isExact } from './json.number';

/** Levels of nesting that a body may have; checked before it is parsed, so that no body can exhaust the memory by it. */
export const MAX_JSON_DEPTH = 64;

/** Values that a body may have, counted before it is parsed: 22 MB of empty arrays are 3 GB of memory. */
export const MAX_JSON_VALUES = 500_000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
/** Of `[` and `{`, `]` and `}`: bit 5 makes two of four characters. */
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Position just behind the string whose opening quote is at `start`; the end of the text if it never closes. */
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

/** The number that begins at `start`, and whatever sticks to it. */
const NUMBER = /[-+.0-9eE]*/y;
/** Numbers this short are kept as they are, unless they have an exponent. */
const SHORT_NUMBER = 15;

export function numberAt(text: string, start: number): string {
  NUMBER.lastIndex = start;
  return NUMBER.exec(text)![0];
}

interface Survey {
  members: number;
  /** Commas and opening brackets: one less than there are values. Counted as far as the limit. */
  values: number;
  /** Where it first nests too deep; -1 for nowhere. */
  tooDeepAt: number;
  /** Where the first number stands that would not be kept as it is written; -1 for nowhere. */
  inexactAt: number;
}

/** What is to be known of a text besides whether it is JSON. Anything is taken, JSON or not. */
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
      if (inexactAt < 0 && (number.length > SHORT_NUMBER || /[eE]/.test(number)) && !isExact(number)) inexactAt = i;
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

function afterQuoted(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return bytes.length;
}

/** How many values a text of JSON has, less one, as far as `MAX_JSON_VALUES`: what it takes to read it is known before it is read. */
export function countValues(bytes: Buffer): number {
  let values = 0;
  let i = 0;
  while (i < bytes.length && values < MAX_JSON_VALUES) {
    const code = bytes[i]!;
    if (code === QUOTE) {
      i = afterQuoted(bytes, i);
      continue;
    }
    if (code === COMMA || (code | 32) === OPEN) values += 1;
    i += 1;
  }
  return values;
}
