/** Lines are folded at this width if possible (RFC 5322 section 2.1.1). */
export const LINE_WIDTH = 76;
/** No line may be longer than this. */
export const MAX_LINE_LENGTH = 998;
/** Length of `=?UTF-8?B?` and `?=` around the text of an encoded word, which has at most 75 characters (RFC 2047 section 2). */
const WORD_FRAME = 12;
const MAX_WORD_CONTENT = 75 - WORD_FRAME;
/** If less than this is left on a line, an encoded word begins on the next. */
const MIN_WORD_CONTENT = 16;

const HEX = '0123456789ABCDEF';
/** Octets that stand for themselves in a Q word wherever it is used, phrases included (RFC 2047 section 5, rule 3). */
const Q_UNESCAPED = table('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/');
const SPACE = 0x20;

function table(characters: string): Uint8Array {
  const found = new Uint8Array(256);
  for (const character of characters) found[character.charCodeAt(0)] = 1;
  return found;
}

/**
 * A header field under construction: tokens are separated by a blank, with a fold before it where needed. A fold adds only the line end, so
 * that the unfolded value is what was written.
 */
export class FoldedLine {
  private column: number;
  private begun = false;
  text: string;

  constructor(name: string) {
    this.text = `${name}:`;
    this.column = this.text.length;
  }

  /**
   * Adds a token after `blank` (one or more blanks). The first goes on the line of the name if it fits: some relays lose a fold right
   * there, which breaks the signature over the field.
   */
  addToken(token: string, blank = ' ', maxColumn = this.begun ? LINE_WIDTH : MAX_LINE_LENGTH): void {
    const width = blank.length + token.length;
    if (this.column + width > maxColumn && this.column > 1) this.fold();
    this.begun = true;
    this.text += blank + token;
    this.column += width;
  }

  /** Adds to the last token. */
  glue(text: string): void {
    this.text += text;
    this.column += text.length;
  }

  /** Begins a new line; the next token's blank comes first on it. */
  fold(): void {
    this.text += '\r\n';
    this.column = 0;
  }

  /** Adds a text as encoded words, after a blank. Decoders drop the blanks between them. */
  addEncodedWords(text: string): void {
    const encoding = shorterEncoding(Buffer.from(text));
    let rest = this.room();
    let word = '';
    let used = 0;
    for (const character of text) {
      const cost = encoding === 'B' ? utf8Length(character) : qLength(character);
      if (word !== '' && (encoding === 'B' ? Math.ceil((used + cost) / 3) * 4 : used + cost) > rest) {
        this.addToken(encodedWord(word, encoding), ' ', LINE_WIDTH);
        rest = MAX_WORD_CONTENT;
        word = '';
        used = 0;
      }
      word += character;
      used += cost;
    }
    this.addToken(encodedWord(word, encoding), ' ', LINE_WIDTH);
  }

  private room(): number {
    const left = LINE_WIDTH - this.column - 1 - WORD_FRAME;
    return left < MIN_WORD_CONTENT ? MAX_WORD_CONTENT : Math.min(left, MAX_WORD_CONTENT);
  }
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function qLength(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return code === SPACE || Q_UNESCAPED[code] === 1 ? 1 : 3;
  return 3 * utf8Length(character);
}

function shorterEncoding(bytes: Buffer): 'B' | 'Q' {
  let q = 0;
  for (const byte of bytes) q += byte === SPACE || Q_UNESCAPED[byte] === 1 ? 1 : 3;
  return q <= Math.ceil(bytes.length / 3) * 4 ? 'Q' : 'B';
}

function encodedWord(text: string, encoding: 'B' | 'Q'): string {
  const bytes = Buffer.from(text);
  if (encoding === 'B') return `=?UTF-8?B?${bytes.toString('base64')}?=`;
  let encoded = '';
  for (const byte of bytes) {
    if (byte === SPACE) encoded += '_';
    else if (Q_UNESCAPED[byte] === 1) encoded += String.fromCharCode(byte);
    else encoded += `=${HEX[byte >> 4]!}${HEX[byte & 15]!}`;
  }
  return `=?UTF-8?Q?${encoded}?=`;
}
