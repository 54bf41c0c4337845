import { NOT_ASCII } from './smtp.envelope';

/** A whole answer may have this many bytes, and each of its lines at most `MAX_LINE_BYTES` (RFC 5321 section 4.5.3.1.5 demands 512). */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
const MORE_FOLLOWS = /^\d{3}-/;
const CODES = /^\d{3}(?=[ -]|$)/gm;
const HAS_CODE = /^\d{3}(?: |$)/;
const REFUSAL = /^[45]/;

/** What the server sends is no answer. */
export class InvalidAnswer extends Error {}

/** Cuts what a server sends into answers (RFC 5321 section 4.2), in bounded memory, whatever it sends. */
export class AnswerReader {
  private unfinishedLine = '';
  private earlierLines = '';
  private invalid: InvalidAnswer | undefined;

  /** Set if what followed the last answer returned is not an answer. Nothing more can be read then. */
  get fault(): InvalidAnswer | undefined {
    return this.invalid;
  }

  /** Whether bytes have come beyond the answers returned. */
  get holdsMore(): boolean {
    return this.unfinishedLine !== '' || this.earlierLines !== '' || this.invalid !== undefined;
  }

  /** The answers that are complete now, their lines separated by LF. Those before an invalid one are returned; `fault` reports that. */
  read(bytes: Buffer): string[] {
    const answers: string[] = [];
    try {
      this.splitLines(this.unfinishedLine + bytes.toString('latin1'), answers);
    } catch (error) {
      this.invalid = error as InvalidAnswer;
    }
    return answers;
  }

  /** The part of an answer that the server sent before it hung up. */
  partialAnswer(): string {
    return decoded(this.earlierLines + this.unfinishedLine);
  }

  private splitLines(text: string, answers: string[]): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.addLine(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end), answers);
      start = end + 1;
    }
    this.unfinishedLine = text.slice(start);
    this.checkLength(this.unfinishedLine.length);
  }

  private addLine(line: string, answers: string[]): void {
    // Empty lines do not belong to an answer.
    if (line.trim() === '') return;
    this.checkLength(line.length);
    if (MORE_FOLLOWS.test(line)) {
      this.earlierLines += `${line}\n`;
      return;
    }
    const answer = this.earlierLines + line;
    this.earlierLines = '';
    if (answer === line) return void answers.push(decoded(answer));
    assertConsistent(answer);
    const coded = HAS_CODE.test(line);
    // A refusal counts, wherever it ends.
    if (coded || REFUSAL.test(answer)) answers.push(decoded(answer));
    // RFC 5321 section 4.2: what follows may belong to it, or answer the next command.
    if (!coded) throw new InvalidAnswer('an answer with a line without a code');
  }

  private checkLength(line: number): void {
    if (line > MAX_LINE_BYTES || this.earlierLines.length + line > MAX_ANSWER_BYTES) {
      this.unfinishedLine = '';
      this.earlierLines = '';
      throw new InvalidAnswer('an answer without end');
    }
  }
}

/** Throws if an answer of several lines says both yes and no (RFC 5321 section 4.2.1): readers differ in which line counts. */
function assertConsistent(answer: string): void {
  const [first, ...others] = answer.match(CODES)!;
  const other = others.find((code) => code[0] !== first![0]);
  if (other !== undefined) throw new InvalidAnswer(`an answer that says both ${first} and ${other}`);
}

/** Decodes UTF-8 (RFC 6531 section 3.7.4.2); invalid bytes become replacement characters. */
function decoded(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text;
}
