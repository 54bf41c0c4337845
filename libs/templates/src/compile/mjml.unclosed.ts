import { Parser } from 'htmlparser2';
import { HTML_INSIDE, READING } from './mjml.nesting';

export interface Unclosed {
  start: number;
  name: string;
}

/**
 * Elements whose content MJML leaves out without a word, all of it or what lies behind another one's end: it takes what
 * stands before the last closing tag of that name, and looks for that in small letters only.
 */
export function unclosedElements(source: string): Unclosed[] {
  const lost: Unclosed[] = [];
  let within = 0;
  let start = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (!HTML_INSIDE.has(name)) return;
        within += 1;
        if (within === 1) start = parser.startIndex;
      },
      onclosetag(name, implied) {
        if (!HTML_INSIDE.has(name)) return;
        within -= 1;
        const closesItself = parser.startIndex === start;
        if (within > 0 || closesItself) return;
        if (implied || !source.startsWith(`</${name}`, parser.startIndex)) lost.push({ start, name });
      },
    },
    READING,
  );
  parser.end(source);
  return lost;
}
