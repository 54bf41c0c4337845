import { compile } from 'html-to-text';
import { refuseDeepHtml } from './html.depth';
import { withoutBreakHints } from './text.breaks';
import { SELECTORS } from './text.elements';
import { FORMATTERS } from './text.formats';

const convert = compile({
  // The whole document: parsers show what is outside of its body, too.
  baseElements: { selectors: [] },
  wordwrap: 78,
  // Those of HTML. By default, a place where a line may break would become a blank.
  whitespaceCharacters: ' \t\r\n\f',
  // What is longer would be cut off, but html is at most half as long. A limit of depth would cut it off, too: see `refuseDeepHtml`.
  limits: { maxInputLength: 4 * 1024 * 1024 },
  formatters: FORMATTERS,
  selectors: SELECTORS,
});

/** Blanks, and what has no width, such as what keeps a preview from showing more of a mail. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;
const BLANK = '[\\t\\v\\f\\r\\p{Z}\\p{Default_Ignorable_Code_Point}]*';
/** Rows and paragraphs without text leave line breaks behind. */
const EMPTY_LINES = new RegExp(`\\n(?:${BLANK}\\n)+`, 'gu');
const OUTER_LINES = new RegExp(`^(?:${BLANK}\\n)+|(?:\\n${BLANK})+$`, 'gu');

/** The plain-text part for a mail without one; empty if nothing can be seen of it. Throws `LimitExceeded` if the html is nested too deep. */
export function plainTextOf(html: string): string {
  refuseDeepHtml(html);
  const text = withoutBreakHints(convert(html));
  return VISIBLE.test(text) ? text.replace(EMPTY_LINES, '\n\n').replace(OUTER_LINES, '') : '';
}
