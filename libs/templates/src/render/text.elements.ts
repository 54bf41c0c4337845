import type { SelectorDefinition } from 'html-to-text';
import type { FORMATTERS } from './text.formats';

/** Elements by what becomes of them: https://html.spec.whatwg.org/multipage/rendering.html says which browsers put on lines of their own. */
const ELEMENTS: Record<keyof typeof FORMATTERS | 'skip', string> = {
  text: '*',
  raised: 'sup sub',
  link: 'a',
  alt: 'img',
  field: 'input',
  cell: 'td th',
  // A row is one line; paragraphs in its cells have lines of their own. An item may be outside of a list.
  line:
    'address article aside caption center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup ' +
    'legend li main nav optgroup option search section summary tr',
  lines: 'h1 h2 h3 h4 h5 h6 p table',
  bullets: 'dir menu ul',
  numbers: 'ol',
  quotation: 'blockquote',
  verbatim: 'listing pre xmp',
  rule: 'hr',
  newLine: 'br',
  // Browsers show nothing of these. (Styles and scripts are left out anyway.)
  skip: 'title template datalist noframes noembed',
};

export const SELECTORS: SelectorDefinition[] = Object.entries(ELEMENTS).flatMap(([format, names]) =>
  names.split(' ').map((selector) => ({ selector, format })),
);
