import { percentEncoded, readsAsWritten } from './mime.headers';
import { type FoldedLine, LINE_WIDTH, MAX_LINE_LENGTH } from './mime.lines';

/** `attribute-char` of RFC 2231 section 7, without those that some readers cannot handle. */
const PLAIN_CHARACTER = /^[A-Za-z0-9!#$&+\-.^_`|~]$/;
const QUOTABLE = /^[\x20-\x7e]*$/;
const MAX_QUOTED_LENGTH = 60;
const CHARSET_PREFIX = "utf-8''";
/** Some readers sort sections as text, so that the eleventh would come third. */
const MAX_SECTIONS = 10;

/**
 * Adds a parameter (RFC 2045 section 5.1): as a quoted string if that can express the value, else by RFC 2231, as percent-encoded UTF-8 in
 * as many sections as lines of 76 characters need, or in longer ones if they would be too many; no section splits a character.
 */
export function addParameter(line: FoldedLine, name: string, value: string): void {
  if (value.length <= MAX_QUOTED_LENGTH && QUOTABLE.test(value) && !/["\\]/.test(value) && readsAsWritten(value)) {
    line.glue(';');
    return line.addToken(`${name}="${value}"`);
  }
  const encoded = [...value].map((one) => (PLAIN_CHARACTER.test(one) ? one : percentEncoded(one)));
  const whole = encoded.join('');
  // The 4 are a blank before it, `*=`, and a semicolon after it.
  if (name.length + whole.length + CHARSET_PREFIX.length + 4 <= LINE_WIDTH) {
    line.glue(';');
    return line.addToken(`${name}*=${CHARSET_PREFIX}${whole}`);
  }
  sections(name, encoded).forEach((section, index) => {
    line.glue(';');
    line.addToken(`${name}*${index}*=${section}`);
  });
}

function sections(name: string, characters: string[]): string[] {
  let width = LINE_WIDTH;
  let found = sectionsOf(name, characters, width);
  while (found.length > MAX_SECTIONS && width + LINE_WIDTH <= MAX_LINE_LENGTH) {
    width += LINE_WIDTH;
    found = sectionsOf(name, characters, width);
  }
  return found;
}

function sectionsOf(name: string, characters: string[], width: number): string[] {
  const found: string[] = [];
  let section = CHARSET_PREFIX;
  for (const character of characters) {
    if (name.length + section.length + character.length + 8 > width) {
      found.push(section);
      section = '';
    }
    section += character;
  }
  return [...found, section];
}
