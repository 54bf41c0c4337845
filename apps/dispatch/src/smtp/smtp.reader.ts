/** A whole answer may have this many bytes, and each of its lines at most `LONGEST_LINE` (RFC 5321 section 4.5.3.1.5 demands 512). */
const LONGEST_ANSWER = 64 * 1024;
const LONGEST_LINE = 8 * 1024;
const MORE_FOLLOWS = /^\d{3}-/;
const CODES = /^\d{3}(?=[ -]|$)/gm;
const NOT_ASCII = /[^\u0000-\u007f]/;

/** The server sends more than an answer can have. */
export class EndlessAnswer extends Error {}

/** The lines of an answer have codes of different kinds, which RFC 5321 section 4.2.1 forbids: readers differ in which line counts. */
export class ContradictoryAnswer extends Error {}

/** Cuts what a server sends into answers (RFC 5321 section 4.2), in bounded memory, whatever it sends. */
export class AnswerReader {
  private unfinished = '';
  private lines = '';
  private broken: Error | undefined;

  /** `EndlessAnswer` or `ContradictoryAnswer` if what followed the last answer returned is not an answer. Nothing more can be read then. */
  get fault(): Error | undefined {
    return this.broken;
  }

  /** Whether bytes have come beyond the answers returned. */
  get holdsMore(): boolean {
    return this.unfinished !== '' || this.lines !== '' || this.broken !== undefined;
  }

  /** The answers that are complete now, their lines separated by LF. Those before an invalid one are returned; `fault` reports that. */
  read(bytes: Buffer): string[] {
    const answers: string[] = [];
    try {
      this.cut(this.unfinished + bytes.toString('latin1'), answers);
    } catch (error) {
      this.broken = error as Error;
    }
    return answers;
  }

  /** The part of an answer that the server sent before it hung up. */
  cutOff(): string {
    return decoded(this.lines + this.unfinished);
  }

  private cut(text: string, answers: string[]): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.line(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end), answers);
      start = end + 1;
    }
    this.unfinished = text.slice(start);
    this.bound(this.unfinished.length);
  }

  private line(line: string, answers: string[]): void {
    // Empty lines do not belong to an answer.
    if (line.trim() === '') return;
    this.bound(line.length);
    if (MORE_FOLLOWS.test(line)) {
      this.lines += `${line}\n`;
      return;
    }
    const answer = this.lines + line;
    this.lines = '';
    if (answer !== line) agreeing(answer);
    answers.push(decoded(answer));
  }

  private bound(line: number): void {
    if (line > LONGEST_LINE || this.lines.length + line > LONGEST_ANSWER) {
      this.unfinished = '';
      this.lines = '';
      throw new EndlessAnswer('an answer without end');
    }
  }
}

/** Throws if an answer of several lines says both yes and no. */
function agreeing(answer: string): void {
  const [first, ...others] = answer.match(CODES)!;
  const other = others.find((code) => code[0] !== first![0]);
  if (other !== undefined) throw new ContradictoryAnswer(`an answer that says both ${first} and ${other}`);
}

/** Decodes UTF-8 (RFC 6531 section 3.7.4.2); invalid bytes become replacement characters. */
function decoded(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text;
}
