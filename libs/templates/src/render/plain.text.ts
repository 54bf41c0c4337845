import { compile, type FormatCallback } from 'html-to-text';
import { refuseDeepHtml } from './html.depth';

/** A row is one line; paragraphs in its cells have lines of their own. */
const row: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 1 });
};

/** A blank separates cells: otherwise an article and its price would be one word. */
const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' ');
};

/** Only what it says: the address of an image tells a reader nothing. */
const alt: FormatCallback = (element, _walk, builder) => {
  builder.addInline((element.attribs as Record<string, string>).alt ?? '');
};

/** Browsers show nothing of these. (Styles and scripts are left out anyway.) */
const HIDDEN_ELEMENTS = ['title', 'template', 'datalist', 'noframes', 'noembed'];

const convert = compile({
  // The whole document: parsers show what is outside of its body, too.
  baseElements: { selectors: [] },
  wordwrap: 78,
  // What is longer would be cut off, but html is at most half as long. A limit of depth would cut it off, too: see `refuseDeepHtml`.
  limits: { maxInputLength: 4 * 1024 * 1024 },
  formatters: { row, cell, alt },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'alt' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'tr', format: 'row' },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...HIDDEN_ELEMENTS.map((selector) => ({ selector, format: 'skip' })),
  ],
});

/** Rows and paragraphs without text leave line breaks behind. */
const EMPTY_LINES = /\n{3,}/g;
const OUTER_LINE_BREAKS = /^\n+|\n+$/g;

/** The plain-text part for a mail without one. Throws `LimitExceeded` if the html is nested too deep. */
export function plainTextOf(html: string): string {
  refuseDeepHtml(html);
  return convert(html).replace(EMPTY_LINES, '\n\n').replace(OUTER_LINE_BREAKS, '');
}
