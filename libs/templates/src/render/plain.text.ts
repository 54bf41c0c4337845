import { compile, type FormatCallback } from 'html-to-text';

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

const convert = compile({
  wordwrap: 78,
  limits: { maxDepth: 256, maxInputLength: 4 * 1024 * 1024 },
  formatters: { row, cell, alt },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'alt' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'tr', format: 'row' },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
  ],
});

/** Rows and paragraphs without text leave line breaks behind. */
const EMPTY_LINES = /\n{3,}/g;
const OUTER_LINE_BREAKS = /^\n+|\n+$/g;

/** The plain-text part for a mail without one. */
export function plainTextOf(html: string): string {
  return convert(html).replace(EMPTY_LINES, '\n\n').replace(OUTER_LINE_BREAKS, '');
}
