import { base64Length, base64Lines } from './mime.base64';
import type { MailWriter } from './mime.writer';

export type TextEncoding = '7bit' | 'quoted-printable' | 'base64';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const EQUALS = 61;
const LAST_PRINTABLE = 126;
const LINE_WIDTH = 76;
const HEX = Buffer.from('0123456789ABCDEF');
const ANY_LINE_END = /\r\n|\r|\n/g;
/** The octets of a text are put here if it fits. The buffer can be shared, as nothing else runs until the text is written. */
const SHARED_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
const MAX_OCTETS_PER_UNIT = 3;

/** Kinds of octets, in the order in which `survey` and `writeQuotedPrintable` test for them. */
const PLAIN = 0;
const BLANK = 1;
const ESCAPED_IN_QP = 2;
const LINE_END = 3;
const SPECIAL = 4;
const KINDS = new Uint8Array(256).map((_, octet) => {
  if (octet === CR || octet === LF) return LINE_END;
  if (octet === SPACE || octet === TAB) return BLANK;
  if (octet === EQUALS) return ESCAPED_IN_QP;
  return octet > SPACE && octet <= LAST_PRINTABLE ? PLAIN : SPECIAL;
});

/** A text to be written into a mail. Its bytes are valid until the next text is prepared. */
export interface EncodableText {
  encoding: TextEncoding;
  text: string;
  bytes: Buffer;
}

interface Survey {
  /** Number of octets that quoted-printable must escape, not counting `=`. */
  special: number;
  /** No line is longer than 76, and none ends in a blank. */
  tidy: boolean;
}

/**
 * Decides how a text is sent: unencoded if that is safe (ASCII, lines of at most 76 characters, no blanks at line ends, nothing that could
 * be taken for a boundary), else in the shorter encoding. Lines of the text may end in CR, LF or CRLF.
 */
export function prepareText(text: string, boundaryMark: string): EncodableText {
  const bytes = octets(text);
  const { special, tidy } = survey(bytes);
  const isSafe = special === 0 && tidy && !text.includes(boundaryMark);
  if (isSafe) return { encoding: '7bit', text, bytes };
  const quoted = (bytes.length + 2 * special) * 1.04;
  return { encoding: quoted <= base64Length(bytes.length) ? 'quoted-printable' : 'base64', text, bytes };
}

function octets(text: string): Buffer {
  if (text.length * MAX_OCTETS_PER_UNIT > SHARED_BUFFER.length) return Buffer.from(text);
  return SHARED_BUFFER.subarray(0, SHARED_BUFFER.write(text));
}

function survey(bytes: Buffer): Survey {
  let special = 0;
  let tidy = true;
  let lineStart = 0;
  const length = bytes.length;
  for (let at = 0; at < length; at += 1) {
    const kind = KINDS[bytes[at]!]!;
    if (kind <= ESCAPED_IN_QP) continue;
    if (kind === LINE_END) {
      tidy &&= tidyLine(bytes, lineStart, at);
      lineStart = at + 1;
    } else if (kind === SPECIAL) {
      special += 1;
    }
  }
  return { special, tidy: tidy && tidyLine(bytes, lineStart, length) };
}

function tidyLine(bytes: Buffer, start: number, end: number): boolean {
  return end - start <= LINE_WIDTH && (end === start || KINDS[bytes[end - 1]!] !== BLANK);
}

/** Writes the text with CRLF line ends, in its encoding. */
export function writeText(writer: MailWriter, { encoding, text, bytes }: EncodableText): void {
  if (encoding === 'quoted-printable') return writeQuotedPrintable(writer, bytes);
  const canonical = canonicalLines(text);
  if (encoding === '7bit') writer.ascii(canonical);
  else writer.bytes(base64Lines(Buffer.from(canonical)));
}

function canonicalLines(text: string): string {
  return text.includes('\r') ? text.replace(ANY_LINE_END, '\r\n') : text.replaceAll('\n', '\r\n');
}

/**
 * Writes quoted-printable (RFC 2045 section 6.7) in lines of at most 76 characters directly into the mail: one pass over the octets,
 * without copies.
 */
function writeQuotedPrintable(writer: MailWriter, bytes: Buffer): void {
  // Room for the worst cases: every octet escaped, with a soft line end after 24 of them; or every octet a line end.
  writer.reserve(bytes.length * 4 + 8);
  const out = writer.buffer;
  const length = bytes.length;
  let to = writer.length;
  /** Where the current line must be broken. */
  let breakAt = to + LINE_WIDTH - 1;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at]!;
    const kind = KINDS[byte]!;
    if (kind === PLAIN || (kind === BLANK && !endsLine(bytes, at + 1))) {
      if (to === breakAt) {
        to = breakLine(out, to, EQUALS);
        breakAt = to + LINE_WIDTH - 1;
      }
      out[to++] = byte;
    } else if (kind === LINE_END) {
      if (byte === CR && bytes[at + 1] === LF) at += 1;
      to = breakLine(out, to);
      breakAt = to + LINE_WIDTH - 1;
    } else {
      if (to + 3 > breakAt) {
        to = breakLine(out, to, EQUALS);
        breakAt = to + LINE_WIDTH - 1;
      }
      out[to++] = EQUALS;
      out[to++] = HEX[byte >> 4]!;
      out[to++] = HEX[byte & 15]!;
    }
  }
  writer.length = to;
}

function breakLine(out: Buffer, at: number, soft?: number): number {
  let to = at;
  if (soft !== undefined) out[to++] = soft;
  out[to++] = CR;
  out[to++] = LF;
  return to;
}

/** Whether a line ends at `at`: a blank before that would be lost. */
function endsLine(bytes: Buffer, at: number): boolean {
  return at === bytes.length || KINDS[bytes[at]!] === LINE_END;
}
