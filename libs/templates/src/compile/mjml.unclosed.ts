import { Parser } from 'htmlparser2';
import { HTML_CONTENT_ELEMENTS, PARSER_OPTIONS } from './mjml.limits';

export interface UnclosedElement {
  start: number;
  name: string;
}

/**
 * Elements whose content MJML silently drops, all of it or what comes after the end of another element: it takes what is
 * before the last closing tag of that name, and finds closing tags only in lower case.
 */
export function unclosedElements(source: string): UnclosedElement[] {
  const lost: UnclosedElement[] = [];
  let within = 0;
  let start = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (!HTML_CONTENT_ELEMENTS.has(name)) return;
        within += 1;
        if (within === 1) start = parser.startIndex;
      },
      onclosetag(name, implied) {
        if (!HTML_CONTENT_ELEMENTS.has(name)) return;
        within -= 1;
        const closesItself = parser.startIndex === start;
        if (within > 0 || closesItself) return;
        if (implied || !source.startsWith(`</${name}`, parser.startIndex)) lost.push({ start, name });
      },
    },
    PARSER_OPTIONS,
  );
  parser.end(source);
  return lost;
}
