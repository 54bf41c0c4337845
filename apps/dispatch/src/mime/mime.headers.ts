import { isReservedHeader } from '@lettermill/events';
import { FoldedLine, MAX_LINE_LENGTH, LINE_WIDTH } from './mime.lines';

/** Of at most the length that the contract allows. */
const FIELD_NAME = /^[!-9;-~]{1,200}$/;
const PLAIN = /^[\t\x20-\x7e]*$/;
const WITHOUT_CONTROLS = /^[^\u0000-\u0008\u000a-\u001f\u007f]*$/;
/** What the encoded words of a text must cover: also `=?` that begins none, from where some readers would decode, in vain. */
const NOT_PLAIN = /[^\t\x20-\x7e]|=\?/g;
const EACH_NOT_PLAIN = /[^\t\x20-\x7e]/gu;
/** Readers would decode this, whether or not it is a complete encoded word (RFC 2047). */
const ENCODED_WORD_LOOKALIKE = /=\?[^?]*\?[bq]\?/i;
const OUTER_BLANK = /^[\t ]|[\t ]$/;
/** Runs of blanks, or of other characters, that are too long to be folded into lines of 998 (RFC 5322 section 2.1.1). */
const UNFOLDABLE = /[^\t ]{800}|[\t ]{60}/;
/** Fields of links in angle brackets (RFC 2369): readers ignore blanks within those, and decode nothing. */
const LINK_FIELD = /^list-(?:archive|help|owner|post|subscribe|unsubscribe)$/i;
/** As much as fits on a line of its own, after a blank. */
const LINK_PIECES = /[^\t ]{1,990}/g;
const TOKEN = /([\t ]*)([^\t ]+)/g;

/** Whether readers take the text as it is written. */
export function readsAsWritten(text: string): boolean {
  return PLAIN.test(text) && !ENCODED_WORD_LOOKALIKE.test(text);
}

/**
 * Custom headers in their order and spelling, without those that they must not set, and without blanks around a value: to keep those,
 * it would have to be encoded, and machines do not decode what they read (`References`, `Auto-Submitted`).
 */
export function customHeaders(headers: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const own = headers.filter(([name]) => FIELD_NAME.test(name) && !isReservedHeader(name.toLowerCase()));
  return own.map(([name, value]) => [name, value.trim()]);
}

/**
 * An unstructured field (RFC 5322 section 2.2.1), folded, with its line end. Text that readers would not take as it is written is sent as
 * encoded words: from the first to the last word that needs it, or the whole text if blanks or lookalikes would be damaged otherwise.
 */
export function textField(name: string, value: string): string {
  if (LINK_FIELD.test(name)) return linksField(name, value.replace(EACH_NOT_PLAIN, percentEncoded));
  if (ENCODED_WORD_LOOKALIKE.test(value) || OUTER_BLANK.test(value) || UNFOLDABLE.test(value))
    return encodedField(name, value);
  if (!PLAIN.test(value)) return partlyEncodedField(name, value);
  if (name.length + 2 + value.length <= LINE_WIDTH) return `${name}: ${value}\r\n`;
  const line = new FoldedLine(name);
  addTokens(line, value);
  return `${line.text}\r\n`;
}

/** A character as written in links and parameters: its UTF-8 octets, percent-encoded (RFC 3987 section 3.1, RFC 2231 section 4). */
export function percentEncoded(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&');
}

/** Folded at blanks; a link too long for a line is split by them. */
function linksField(name: string, value: string): string {
  const line = new FoldedLine(name);
  for (const [piece] of value.matchAll(LINK_PIECES)) line.addToken(piece);
  return `${line.text}\r\n`;
}

/**
 * A field of ids in angle brackets, which are not encoded if that can be avoided: they are compared, not read. In a header that has other
 * UTF-8 they are sent as they are (RFC 6532); they alone are no reason to ask for SMTPUTF8, which may be refused.
 */
export function idField(name: string, value: string, inUtf8 = false): string {
  if (!PLAIN.test(value) && !(inUtf8 && WITHOUT_CONTROLS.test(value))) return encodedField(name, value);
  const octets = Buffer.byteLength(value);
  if (name.length + 2 + octets <= MAX_LINE_LENGTH) return `${name}: ${value}\r\n`;
  return octets < MAX_LINE_LENGTH ? `${name}:\r\n ${value}\r\n` : encodedField(name, value);
}

function encodedField(name: string, value: string): string {
  const line = new FoldedLine(name);
  line.addEncodedWords(value);
  return `${line.text}\r\n`;
}

function partlyEncodedField(name: string, value: string): string {
  const found = [...value.matchAll(NOT_PLAIN)];
  const first = found[0]!.index;
  const last = found.at(-1)!.index;
  const begin = value.lastIndexOf(' ', first) + 1;
  const space = value.indexOf(' ', last);
  const end = space < 0 ? value.length : space;
  // Readers keep a single blank on either side; anything else is encoded, too.
  if (!isSingleBlank(value, begin - 1) || !isSingleBlank(value, end)) return encodedField(name, value);
  const line = new FoldedLine(name);
  if (begin > 0) addTokens(line, value.slice(0, begin - 1));
  line.addEncodedWords(value.slice(begin, end));
  if (end < value.length) addTokens(line, value.slice(end + 1));
  return `${line.text}\r\n`;
}

function isSingleBlank(value: string, at: number): boolean {
  return !/[\t ]/.test((value[at - 1] ?? '') + (value[at + 1] ?? ''));
}

function addTokens(line: FoldedLine, value: string): void {
  for (const [, blanks, word] of value.matchAll(TOKEN)) line.addToken(word!, blanks === '' ? ' ' : blanks);
}
