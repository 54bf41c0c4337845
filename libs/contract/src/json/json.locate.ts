import { childPointer, quoted } from '../fault.wording';
import { countCharacters } from '../unicode';

/** The first place where a text breaks the rules of `readJson`; `offset` is in UTF-16 units. */
export interface JsonFault {
  offset: number;
  detail: string;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;
const UNESCAPED = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Most values and escapes that are searched: reading further would hold up other requests. */
const MAX_STEPS = 200_000;

/** Reads JSON a second time, slowly, to say what is wrong with it. It recurses, so the nesting must have been checked before. */
class Reader {
  private offset = 0;
  private steps = 0;

  constructor(private readonly text: string) {}

  document(): void {
    this.value('');
    this.space();
    if (this.offset < this.text.length) this.fail('nothing more may follow the value');
  }

  private value(pointer: string): void {
    this.step();
    this.space();
    const char = this.text[this.offset];
    if (char === '{') return this.object(pointer);
    if (char === '[') return this.array(pointer);
    if (char === '"') return void this.string();
    if (!this.skip(NUMBER) && !this.skip(LITERAL)) this.fail('expected a value');
  }

  private object(pointer: string): void {
    const keys = new Set<string>();
    this.offset += 1;
    if (this.closes('}')) return;
    do {
      this.space();
      const start = this.offset;
      const key = this.text[start] === '"' ? this.string() : this.fail('expected a key in quotes');
      if (keys.has(key))
        this.fail(`the key ${quoted(key)} occurs twice (${quoted(childPointer(pointer, key))})`, start);
      keys.add(key);
      this.space();
      if (this.text[this.offset] !== ':') this.fail('expected a colon');
      this.offset += 1;
      this.value(childPointer(pointer, key));
    } while (this.continues('}'));
  }

  private array(pointer: string): void {
    this.offset += 1;
    if (this.closes(']')) return;
    let index = 0;
    do {
      this.value(childPointer(pointer, index));
      index += 1;
    } while (this.continues(']'));
  }

  private closes(bracket: string): boolean {
    this.space();
    if (this.text[this.offset] !== bracket) return false;
    this.offset += 1;
    return true;
  }

  /** Reads a comma (true) or the closing bracket (false). */
  private continues(bracket: string): boolean {
    if (this.closes(bracket)) return false;
    if (this.text[this.offset] !== ',') this.fail(`expected a comma or ${bracket}`);
    this.offset += 1;
    return true;
  }

  private string(): string {
    const start = this.offset;
    this.offset += 1;
    this.skipString();
    if (this.offset >= this.text.length) this.fail('the string is not closed', start);
    if (this.text[this.offset] === '\\') this.fail('unknown escape');
    if (this.text[this.offset] !== '"') this.fail('control characters in a string must be escaped');
    this.offset += 1;
    return JSON.parse(this.text.slice(start, this.offset)) as string;
  }

  /** Reads in pieces, because one regular expression for the whole string would overflow its backtracking stack. */
  private skipString(): void {
    for (;;) {
      this.step();
      this.skip(UNESCAPED);
      if (this.text[this.offset] !== '\\' || !this.skip(ESCAPE)) return;
    }
  }

  private step(): void {
    this.steps += 1;
    if (this.steps > MAX_STEPS) this.fail('the error is somewhere after this place');
  }

  private space(): void {
    this.skip(SPACE);
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.offset;
    if (!pattern.test(this.text)) return false;
    const moved = pattern.lastIndex > this.offset;
    this.offset = pattern.lastIndex;
    return moved;
  }

  private fail(what: string, offset = this.offset): never {
    const found = offset < this.text.length ? `found ${quoted(this.text.slice(offset, offset + 20))}` : 'the body ends';
    throw new FaultFound({ offset, detail: `${what}, ${found}` });
  }
}

class FaultFound extends Error {
  constructor(readonly fault: JsonFault) {
    super(fault.detail);
  }
}

/** The first reason why a text is not strict JSON without repeated keys; undefined if it is. */
export function firstJsonFault(text: string): JsonFault | undefined {
  try {
    new Reader(text).document();
    return undefined;
  } catch (error) {
    if (error instanceof FaultFound) return error.fault;
    throw error;
  }
}

/** `line 3, column 14`: both count from 1, columns in characters. */
export function lineAndColumn(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return `line ${line}, column ${countCharacters(text.slice(start, offset)) + 1}`;
}
