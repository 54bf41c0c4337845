import type { FormatCallback } from 'html-to-text';
import { displayOf } from './html.display';
import { linkTarget } from './link.target';

type Element = Parameters<FormatCallback>[0];

function isHidden({ attribs }: Element): boolean {
  return displayOf(attribs) === 'none';
}

/** In the line that it is in, unless its own style gives it another. */
const text: FormatCallback = ({ attribs, children }, walk, builder) => {
  const display = displayOf(attribs);
  if (display === 'none') return;
  if (display === 'block') builder.openBlock({ leadingLineBreaks: 1 });
  walk(children, builder);
  if (display === 'block') builder.closeBlock({ trailingLineBreaks: 1 });
};

/** Begins and ends with so many line breaks: of two, one makes an empty line. */
const block =
  (lineBreaks: number): FormatCallback =>
  (element, walk, builder) => {
    if (isHidden(element)) return;
    builder.openBlock({ leadingLineBreaks: lineBreaks });
    walk(element.children, builder);
    builder.closeBlock({ trailingLineBreaks: lineBreaks });
  };

/** A blank separates cells: otherwise an article and its price would be one word. */
const cell: FormatCallback = (element, walk, builder) => {
  if (isHidden(element)) return;
  walk(element.children, builder);
  builder.addInline(' ');
};

/** Only what it says: the address of an image tells a reader nothing. Its row stays one line, even if it is a block. */
const alt: FormatCallback = ({ attribs }, _walk, builder) => {
  const display = displayOf(attribs);
  const said = (attribs as Record<string, string>).alt ?? '';
  if (display !== 'none') builder.addInline(display === 'block' ? ` ${said} ` : said);
};

/** Names the target behind the text. Blanks keep a target without a text, such as one of an image, apart from what is beside it. */
const link: FormatCallback = (element, walk, builder) => {
  const target = linkTarget((element.attribs as Record<string, string>).href ?? '');
  const display = displayOf(element.attribs);
  if (target === '' || display === 'none') return text(element, walk, builder, {});
  if (display === 'block') builder.openBlock({ leadingLineBreaks: 1 });
  let shown = '';
  builder.pushWordTransform((word) => {
    shown += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  if (target !== shown) builder.addInline(shown === '' ? ` ${target} ` : ` [${target}]`, { noWordTransform: true });
  if (display === 'block') builder.closeBlock({ trailingLineBreaks: 1 });
};

/** One of html-to-text's own formats. */
const own =
  (name: string): FormatCallback =>
  (element, walk, builder, options) => {
    if (isHidden(element)) return;
    // Each node in a list becomes an item, even a comment or what is hidden.
    if (name.endsWith('List')) element.children = element.children.filter(isItem);
    const { formatters } = (builder as unknown as { options: { formatters: Record<string, FormatCallback> } }).options;
    formatters[name]!(element, walk, builder, options);
  };

function isItem(node: Element): boolean {
  return node.type === 'text' || (node.type === 'tag' && !isHidden(node));
}

/** By the names that `SELECTORS` uses. None of them begins more than one call per element, as the stack is limited: see `refuseDeepHtml`. */
export const FORMATTERS = {
  text,
  link,
  alt,
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
