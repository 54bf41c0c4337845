/** A whole answer may have this many bytes, and none of its lines more than `LONGEST_LINE` (RFC 5321 section 4.5.3.1.5 asks for 512). */
const LONGEST_ANSWER = 64 * 1024;
const LONGEST_LINE = 8 * 1024;
const MORE_FOLLOWS = /^\d{3}-/;
const CODES = /^\d{3}(?=[ -]|$)/gm;
const NOT_ASCII = /[^\u0000-\u007f]/;

/** The server sends more than an answer can be. */
export class EndlessAnswer extends Error {}

/** Its lines have codes of different kinds, which RFC 5321 section 4.2.1 forbids: readers differ in which line counts. */
export class ContradictoryAnswer extends Error {}

/** Cuts what a server sends into answers (RFC 5321 section 4.2), in bounded memory whatever it sends. */
export class AnswerReader {
  private unfinished = '';
  private lines = '';
  private broken: Error | undefined;

  /** What came behind the last answer given out is none: `EndlessAnswer` or `ContradictoryAnswer`. Nothing more can be read. */
  get fault(): Error | undefined {
    return this.broken;
  }

  /** Further bytes have come than those of the answers given out. */
  get holdsMore(): boolean {
    return this.unfinished !== '' || this.lines !== '' || this.broken !== undefined;
  }

  /** The answers that are whole now, their lines parted by LF: those before what is none, which `fault` tells of. */
  read(bytes: Buffer): string[] {
    const answers: string[] = [];
    try {
      this.cut(this.unfinished + bytes.toString('latin1'), answers);
    } catch (error) {
      this.broken = error as Error;
    }
    return answers;
  }

  /** What the server said of an answer before it hung up. */
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
    // Empty lines are none of an answer.
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

/** Throws where an answer of several lines says yes and no at once. */
function agreeing(answer: string): void {
  const [first, ...others] = answer.match(CODES)!;
  const other = others.find((code) => code[0] !== first![0]);
  if (other !== undefined) throw new ContradictoryAnswer(`an answer that says both ${first} and ${other}`);
}

/** UTF-8 (RFC 6531 section 3.7.4.2); bytes that are none become marks. */
function decoded(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text;
}
