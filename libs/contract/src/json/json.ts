import { isUtf8 } from 'node:buffer';
import { firstJsonFault, lineAndColumn } from './json.locate';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, numberAt, survey } from './json.survey';
import { quoted } from '../fault.wording';

/** Outcome of reading a body. The codes are those of the error table; all of them are 400. */
export type JsonReading = { value: unknown } | { code: UnreadableCode; detail: string };

type UnreadableCode = 'body_missing' | 'body_not_utf8' | 'body_not_json' | 'body_too_complex' | 'number_not_exact';

/** How many members the parsed value has. If it has fewer than the text, a key was repeated. */
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
  const detail = fault ? `${lineAndColumn(text, fault.offset)}: ${fault.detail}` : 'The body is not JSON.';
  return { code: 'body_not_json', detail };
}

/** Offset of the first byte that is not UTF-8. The decoder puts U+FFFD there, which the text may also contain itself. */
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
 * Reads a body as strict JSON (RFC 8259): only UTF-8, no key twice in an object, at most 64 levels and 500,000 values, and no
 * number that reading would change (what was accepted is what is sent). A byte order mark is skipped. Keys such as
 * `__proto__` become own properties. `detail` names line and column.
 */
export function readJson(bytes: Buffer): JsonReading {
  if (bytes.length === 0) return { code: 'body_missing', detail: 'The request has no body.' };
  if (!isUtf8(bytes)) {
    return { code: 'body_not_utf8', detail: `The byte at offset ${firstBadByte(bytes)} is not UTF-8.` };
  }
  const text = decode(bytes);
  const { members, values, tooDeepAt, inexactAt } = survey(text);
  if (tooDeepAt >= 0) {
    return {
      code: 'body_not_json',
      detail: `${lineAndColumn(text, tooDeepAt)}: nested deeper than ${MAX_JSON_DEPTH} levels`,
    };
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
  const detail = `${lineAndColumn(text, inexactAt)}: ${number} exceeds the precision of a 64-bit float; send it as a string to keep its digits`;
  return { code: 'number_not_exact', detail };
}
