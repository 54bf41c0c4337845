import { isUtf8 } from 'node:buffer';
import { firstJsonFault, place } from './json.locate';
import { isExact } from './json.number';
import { quoted } from './shown';

/** Levels of nesting that a body may have; checked before it is parsed, so that no body can exhaust the memory by it. */
export const MAX_JSON_DEPTH = 64;

/** Values that a body may have, counted before it is parsed: 22 MB of empty arrays are 3 GB of memory. */
export const MAX_JSON_VALUES = 500_000;

/** Outcome of reading a body; the codes are those of the error table (all of them 400). */
export type JsonReading = { value: unknown } | { code: UnreadableCode; detail: string };

type UnreadableCode = 'body_missing' | 'body_not_utf8' | 'body_not_json' | 'body_too_complex' | 'number_not_exact';

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

function numberAt(text: string, start: number): string {
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
function survey(text: string): Survey {
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

/** Members that the parsed value has: fewer than were written means that a key came twice. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item);
    return count;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    count += 1;
    const member = object[key];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count;
}

function notJson(text: string): JsonReading {
  const fault = firstJsonFault(text);
  const detail = fault ? `${place(text, fault.offset)}: ${fault.detail}` : 'The body is not JSON.';
  return { code: 'body_not_json', detail };
}

/** Offset of the first byte that is no UTF-8; the decoder puts U+FFFD there, which may also be meant. */
function firstBadByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return offset;
    offset += 3;
    from = at + 1;
  }
  return offset;
}

function decode(bytes: Buffer): string {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', marked ? 3 : 0);
}

/**
 * Reads a body as strict JSON (RFC 8259): UTF-8 or nothing, a byte order mark is passed over, no key twice in an
 * object, 64 levels and 500,000 values at most, no number that would change by being read (what was accepted is what is sent).
 * Keys such as `__proto__` become own properties. `detail` tells line and column.
 */
export function readJson(bytes: Buffer): JsonReading {
  if (bytes.length === 0) return { code: 'body_missing', detail: 'The request has no body.' };
  if (!isUtf8(bytes)) {
    return { code: 'body_not_utf8', detail: `The byte at offset ${firstBadByte(bytes)} is not UTF-8.` };
  }
  const text = decode(bytes);
  const { members, values, tooDeepAt, inexactAt } = survey(text);
  if (tooDeepAt >= 0) {
    return { code: 'body_not_json', detail: `${place(text, tooDeepAt)}: nested deeper than ${MAX_JSON_DEPTH} levels` };
  }
  if (values >= MAX_JSON_VALUES) {
    return { code: 'body_too_complex', detail: `The body has more than ${MAX_JSON_VALUES} values.` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notJson(text);
  }
  if (countMembers(value) !== members) return notJson(text);
  if (inexactAt < 0) return { value };
  const number = quoted(numberAt(text, inexactAt));
  const detail = `${place(text, inexactAt)}: ${number} is beyond a 64-bit float; send it as a text to keep its digits`;
  return { code: 'number_not_exact', detail };
}
