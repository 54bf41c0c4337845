import { encodedWords, MAX_WORD_CONTENT, WORD_FRAME } from './mime.words';

/** Lines are folded at this width if possible (RFC 5322 section 2.1.1). */
export const LINE_WIDTH = 76;
/** No line may be longer than this. */
export const MAX_LINE_LENGTH = 998;
/** If less than this is left on a line, an encoded word begins on the next. */
const MIN_WORD_CONTENT = 16;

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
    if (this.column + width > maxColumn && this.column > 1 && !this.mustNotFold(width)) this.fold();
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
    for (const word of encodedWords(text, this.room())) this.addToken(word, ' ', LINE_WIDTH);
  }

  /** Some readers take a backslash before a fold for an escape of the line end. */
  private mustNotFold(width: number): boolean {
    return this.text.endsWith('\\') && this.column + width <= MAX_LINE_LENGTH;
  }

  private room(): number {
    const left = LINE_WIDTH - this.column - 1 - WORD_FRAME;
    return left < MIN_WORD_CONTENT ? MAX_WORD_CONTENT : Math.min(left, MAX_WORD_CONTENT);
  }
}
