import { TokenKind, Tokenizer, type TagToken, type TopLevelToken } from 'liquidjs';

/**
 * Limit of nested blocks, and of nested brackets within one tag. Liquid parses them recursively, and must not come near the end of the
 * stack: V8 may end the whole process there (it is fatal if a regular expression cannot be compiled).
 */
export const MAX_NESTING = 100;

const BLOCK_TAGS = new Set(['if', 'unless', 'for', 'case', 'capture', 'tablerow']);
const VERBATIM_TAGS = new Set(['raw', 'comment']);
/** Liquid skips one character that `\s` does not include: U+180E, which was a blank in earlier versions of Unicode. */
const FIRST_WORD = /^[\s\u180e]*(\w*)/;

/** Tracks `raw` and comments, in which Liquid reads no tag but the one that ends them. */
export class VerbatimText {
  private endTag: string | undefined;

  get isOpen(): boolean {
    return this.endTag !== undefined;
  }

  /** Takes the name of the next tag; returns whether that begins or ends such a text, or is within one. */
  covers(name: string): boolean {
    if (this.endTag === undefined) {
      if (!VERBATIM_TAGS.has(name)) return false;
      this.endTag = `end${name}`;
    } else if (name === this.endTag) this.endTag = undefined;
    return true;
  }
}

/** Tracks the open blocks. */
class OpenBlocks {
  private depth = 0;
  private readonly verbatim = new VerbatimText();

  /** Whether this tag, or one within it, nests too deep. */
  visitTag({ name, args }: TagToken): boolean {
    return name === 'liquid' && !this.verbatim.isOpen ? this.visitLines(args) : this.visit(name);
  }

  private visit(name: string): boolean {
    if (this.verbatim.covers(name)) return false;
    if (BLOCK_TAGS.has(name)) this.depth += 1;
    else if (name.startsWith('end')) this.depth = Math.max(0, this.depth - 1);
    return this.depth > MAX_NESTING;
  }

  /** Each line of a `liquid` tag is a tag; a line that begins with `liquid` contains another one. */
  private visitLines(lines: string): boolean {
    return lines.split('\n').some((line) => {
      let [start, name] = firstWord(line);
      for (let [rest, within] = [line, 1]; name === 'liquid'; within += 1) {
        if (within > MAX_NESTING) return true;
        rest = rest.slice(start.length);
        [start, name] = firstWord(rest);
      }
      return this.visit(name);
    });
  }
}

/** Where a template first nests deeper than `MAX_NESTING`; -1 if nowhere. Takes linear time, and does not recurse. */
export function tooDeepAt(text: string): number {
  const blocks = new OpenBlocks();
  for (const token of tokensOf(text)) {
    if (token.kind === TokenKind.HTML) continue;
    if ((token.kind === TokenKind.Tag && blocks.visitTag(token as TagToken)) || hasDeepBrackets(text, token)) {
      return token.begin;
    }
  }
  return -1;
}

/** Splits by Liquid's own tokeniser, so that exactly the tags that Liquid parses are counted. What it cannot split is never parsed. */
export function tokensOf(text: string): TopLevelToken[] {
  try {
    return new Tokenizer(text).readTopLevelTokens();
  } catch {
    return [];
  }
}

function firstWord(line: string): [upToItsEnd: string, word: string] {
  const [start, word] = FIRST_WORD.exec(line)!;
  return [start, word!];
}

/** Counts brackets in quoted texts, too: nobody writes so many. */
function hasDeepBrackets(text: string, { begin, end }: TopLevelToken): boolean {
  if (end - begin <= MAX_NESTING) return false;
  let depth = 0;
  for (let at = begin; at < end && depth <= MAX_NESTING; at += 1) {
    const character = text[at];
    if (character === '[' || character === '(') depth += 1;
    else if (character === ']' || character === ')') depth = Math.max(0, depth - 1);
  }
  return depth > MAX_NESTING;
}
