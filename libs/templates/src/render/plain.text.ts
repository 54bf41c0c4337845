import { compile } from 'html-to-text';

const convert = compile({
  wordwrap: 78,
  limits: { maxDepth: 256, maxInputLength: 4 * 1024 * 1024 },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The plain-text part of a mail that has none of its own. */
export function plainTextOf(html: string): string {
  return convert(html);
}
