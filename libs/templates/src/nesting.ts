import { TokenKind, Tokenizer, type TagToken, type TopLevelToken } from 'liquidjs';

/**
 * Blocks that may lie in one another, and brackets within one tag. Whoever reads them recurses: at the end of its stack V8 may end the whole
 * process (a regular expression that can not be compiled there is fatal), so that it must not come near.
 */
export const MAX_NESTING = 100;

const BLOCKS = new Set(['if', 'unless', 'for', 'case', 'capture', 'tablerow']);
const VERBATIM = new Set(['raw', 'comment']);
/** Liquid passes over one character more than `\s` has: U+180E, once a blank of Unicode. */
const FIRST_WORD = /^[\s\u180e]*(\w*)/;

/** What stands in `raw` or a comment: Liquid reads no tag there but the one that ends it. */
export class Verbatim {
  private until: string | undefined;

  get isOpen(): boolean {
    return this.until !== undefined;
  }

  /** Goes over one tag; answers whether it begins or ends such a text, or stands in one. */
  covers(name: string): boolean {
    if (this.until === undefined) {
      if (!VERBATIM.has(name)) return false;
      this.until = `end${name}`;
    } else if (name === this.until) this.until = undefined;
    return true;
  }
}

/** The blocks that are open. */
class OpenBlocks {
  private depth = 0;
  private readonly verbatim = new Verbatim();

  /** Whether this tag, or one in it, is one block too many. */
  seeTag({ name, args }: TagToken): boolean {
    return name === 'liquid' && !this.verbatim.isOpen ? this.seeLines(args) : this.see(name);
  }

  private see(name: string): boolean {
    if (this.verbatim.covers(name)) return false;
    if (BLOCKS.has(name)) this.depth += 1;
    else if (name.startsWith('end')) this.depth = Math.max(0, this.depth - 1);
    return this.depth > MAX_NESTING;
  }

  /** Each line of a `liquid` tag is a tag; one that begins with `liquid` holds another. */
  private seeLines(lines: string): boolean {
    return lines.split('\n').some((line) => {
      let [start, name] = firstWord(line);
      for (let [rest, within] = [line, 1]; name === 'liquid'; within += 1) {
        if (within > MAX_NESTING) return true;
        rest = rest.slice(start.length);
        [start, name] = firstWord(rest);
      }
      return this.see(name);
    });
  }
}

/** Where a template first nests deeper than `MAX_NESTING`; -1 for nowhere. Takes linear time, and does not recurse. */
export function tooDeepAt(text: string): number {
  const blocks = new OpenBlocks();
  for (const token of tokensOf(text)) {
    if (token.kind === TokenKind.HTML) continue;
    if ((token.kind === TokenKind.Tag && blocks.seeTag(token as TagToken)) || hasDeepBrackets(text, token)) {
      return token.begin;
    }
  }
  return -1;
}

/** As Liquid cuts it: whoever cuts in another way counts what it does not parse, and does not what it does. It parses nothing that it can't cut. */
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

/** Those in quoted texts count, too: nobody writes so many. */
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
