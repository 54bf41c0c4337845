import type { FormatCallback } from 'html-to-text';
import { displayOf } from './html.display';
import { contentOf, isHidden, isHiddenAs } from './text.boxes';
import { ownFormat, type Element } from './text.builder';
import { alt, field, link, raised, text } from './text.inline';

/** Begins and ends with so many line breaks: of two, one makes an empty line. */
const block =
  (lineBreaks: number): FormatCallback =>
  (element, walk, builder) => {
    const display = displayOf(element.attribs);
    if (isHiddenAs(display, element)) return;
    builder.openBlock({ leadingLineBreaks: lineBreaks });
    walk(contentOf(element, display), builder);
    builder.closeBlock({ trailingLineBreaks: lineBreaks });
  };

/** A blank separates cells: otherwise an article and its price would be one word. */
const cell: FormatCallback = (element, walk, builder) => {
  const display = displayOf(element.attribs);
  if (display === 'none') return;
  walk(contentOf(element, display), builder);
  builder.addInline(' ');
};

/** One of html-to-text's own formats. */
const own =
  (name: string): FormatCallback =>
  (element, walk, builder, options) => {
    if (isHidden(element)) return;
    // Each node in a list becomes an item, even a comment or what is hidden.
    if (name.endsWith('List')) element.children = element.children.filter(isItem);
    ownFormat(builder, name)(element, walk, builder, options);
  };

function isItem(node: Element): boolean {
  return node.type === 'text' || (node.type === 'tag' && !isHidden(node));
}

/** By the names that `SELECTORS` uses. None of them begins more than one call per element, as the stack is limited: see `refuseDeepHtml`. */
export const FORMATTERS = {
  text,
  raised,
  link,
  alt,
  field,
  cell,
  line: block(1),
  lines: block(2),
  bullets: own('unorderedList'),
  numbers: own('orderedList'),
  quotation: own('blockquote'),
  verbatim: own('pre'),
  rule: own('horizontalLine'),
  newLine: own('lineBreak'),
};
