import { Parser } from 'htmlparser2';
import { HTML_INSIDE, READING } from './mjml.nesting';

export interface Unclosed {
  start: number;
  name: string;
}

/**
 * Elements whose content MJML leaves out without a word: it takes what stands before the last closing tag, and looks for
 * that in small letters only.
 */
export function unclosedElements(source: string): Unclosed[] {
  const lost: Unclosed[] = [];
  let within = 0;
  let opening = { start: 0, end: 0 };
  const parser = new Parser(
    {
      onopentag(name) {
        if (!HTML_INSIDE.has(name)) return;
        within += 1;
        if (within === 1) opening = { start: parser.startIndex, end: parser.endIndex };
      },
      onclosetag(name) {
        if (!HTML_INSIDE.has(name)) return;
        within -= 1;
        const { start, end } = opening;
        const closesItself = parser.startIndex === start;
        if (within > 0 || closesItself) return;
        const content = source.slice(end + 1, parser.endIndex + 1);
        if (!content.includes(`</${name}`)) lost.push({ start, name });
      },
    },
    READING,
  );
  parser.end(source);
  return lost;
}
