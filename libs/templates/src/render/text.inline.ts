import type { FormatCallback } from 'html-to-text';
import { displayOf, isClipped, isRaised } from './html.display';
import { linkTarget } from './link.target';
import { begin, contentOf, end, isHidden } from './text.boxes';
import { withoutBreakHints } from './text.breaks';
import { keepsBlanks, textBefore, textBehind, textIn, type Builder, type Element } from './text.builder';
import { markBefore } from './text.raised';

/** In the line that it is in, unless its own style gives it another. */
export const text: FormatCallback = (element, walk, builder) => {
  const display = displayOf(element.attribs);
  if (display === 'none' || (display === 'block' && isClipped(element.attribs))) return;
  begin(display, builder);
  if (isRaised(element.attribs)) markHeight(element, builder);
  walk(contentOf(element, display), builder);
  end(display, builder);
};

export const raised: FormatCallback = (element, walk, builder) => {
  if (isHidden(element)) return;
  markHeight(element, builder);
  walk(element.children, builder);
};

function markHeight(element: Element, builder: Builder): void {
  const place = element.name === 'sub' ? 'sub' : 'sup';
  builder.addInline(markBefore(place, textBefore(element, builder), textIn(element, 8), textBehind(element)));
}

/** Only what it says: the address of an image tells a reader nothing. Its row stays one line, even if it is a block. */
export const alt: FormatCallback = ({ attribs }, _walk, builder) => {
  const display = displayOf(attribs);
  const said = (attribs as Record<string, string>).alt ?? '';
  if (display !== 'none') builder.addInline(display ? ` ${said} ` : said);
};

/** Types of fields that do not show their value, or only on a button. */
const OTHER_FIELDS = new Set('hidden password checkbox radio submit reset button image file range color'.split(' '));

export const field: FormatCallback = (element, _walk, builder) => {
  const { type = 'text', value = '' } = element.attribs as Record<string, string>;
  if (isHidden(element) || OTHER_FIELDS.has(type.toLowerCase()) || value.trim() === '') return;
  builder.addInline(` ${value} `);
};

/** Names the target behind the text. Blanks keep a target without a text, such as one of an image, apart from what is beside it. */
export const link: FormatCallback = (element, walk, builder) => {
  const target = linkTarget((element.attribs as Record<string, string>).href ?? '');
  const display = displayOf(element.attribs);
  if (target === '' || display === 'none') return text(element, walk, builder, {});
  begin(display, builder);
  let shown = '';
  builder.pushWordTransform((word) => {
    shown += word;
    return word;
  });
  walk(contentOf(element, display), builder);
  builder.popWordTransform();
  // There words are not transformed.
  if (keepsBlanks(builder)) shown = textIn(element, 2 * target.length).trim();
  if (target !== withoutBreakHints(shown)) {
    builder.addInline(shown === '' ? ` ${target} ` : ` [${target}]`, { noWordTransform: true });
  }
  end(display, builder);
};
