import { closings } from './tags';

/**
 * Blocks that may lie in one another, and brackets within one tag. Whoever reads them recurses: at the end of its stack V8 may end the whole
 * process (a regular expression that can not be compiled there is fatal), so that it must not come near.
 */
export const MAX_NESTING = 100;

const TAG = /\{\{|\{%-?\s*(\w*)/g;
const BLOCKS = new Set(['if', 'unless', 'for', 'case', 'capture', 'tablerow']);
const VERBATIM = new Set(['raw', 'comment']);
const FIRST_WORD = /^\s*(\w*)/;

/** The blocks that are open. What stands in `raw` or a comment opens none. */
class OpenBlocks {
  private depth = 0;
  private until: string | undefined;

  get verbatim(): boolean {
    return this.until !== undefined;
  }

  /** Whether this tag is one block too many. */
  see(name: string): boolean {
    if (this.until !== undefined) {
      if (name === this.until) this.until = undefined;
    } else if (VERBATIM.has(name)) this.until = `end${name}`;
    else if (BLOCKS.has(name)) this.depth += 1;
    else if (name.startsWith('end')) this.depth = Math.max(0, this.depth - 1);
    return this.depth > MAX_NESTING;
  }

  /** Each line of a `liquid` tag is a tag; one that begins with `liquid` holds another. */
  seeLines(lines: string): boolean {
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
  const closing = { output: closings(text, '}}'), tag: closings(text, '%}') };
  let covered = 0;
  for (const { index, 0: opening, 1: name } of text.matchAll(TAG)) {
    if (blocks.verbatim) {
      if (name !== undefined) blocks.see(name);
      continue;
    }
    if (index < covered) continue;
    const from = index + opening.length;
    covered = closing[name === undefined ? 'output' : 'tag'](from);
    const deep = name === 'liquid' ? blocks.seeLines(text.slice(from, covered)) : blocks.see(name ?? '');
    if (deep || hasDeepBrackets(text, from, covered)) return index;
  }
  return -1;
}

function firstWord(line: string): [upToItsEnd: string, word: string] {
  const [start, word] = FIRST_WORD.exec(line)!;
  return [start, word!];
}

/** Those in quoted texts count, too: nobody writes so many. */
function hasDeepBrackets(text: string, from: number, end: number): boolean {
  if (end - from <= MAX_NESTING) return false;
  let depth = 0;
  for (let at = from; at < end && depth <= MAX_NESTING; at += 1) {
    const character = text[at];
    if (character === '[' || character === '(') depth += 1;
    else if (character === ']' || character === ')') depth = Math.max(0, depth - 1);
  }
  return depth > MAX_NESTING;
}
