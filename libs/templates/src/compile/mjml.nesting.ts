import { Parser } from 'htmlparser2';
import { MAX_NESTING } from '../nesting';

/** Elements whose content is html, which MJML passes on unchanged. */
export const HTML_CONTENT_ELEMENTS = new Set([
  ...['mj-text', 'mj-button', 'mj-table', 'mj-raw', 'mj-style', 'mj-title', 'mj-preview'],
  ...['mj-accordion-title', 'mj-accordion-text', 'mj-navbar-link', 'mj-social-element'],
]);
/** Options of the parser that MJML uses, too. */
export const PARSER_OPTIONS = { recognizeCDATA: true, decodeEntities: false, recognizeSelfClosing: true };

/** Where MJML elements first nest deeper than `MAX_NESTING`; -1 if nowhere. Unlike MJML, it does not recurse. */
export function tooDeepElementAt(source: string): number {
  let depth = 0;
  let htmlDepth: number | undefined;
  let found = -1;
  const parser = new Parser(
    {
      onopentag(name) {
        depth += 1;
        if (HTML_CONTENT_ELEMENTS.has(name)) htmlDepth ??= depth;
        if (htmlDepth !== undefined || depth <= MAX_NESTING || found >= 0) return;
        found = parser.startIndex;
        parser.pause();
      },
      onclosetag() {
        if (depth === htmlDepth) htmlDepth = undefined;
        depth -= 1;
      },
    },
    PARSER_OPTIONS,
  );
  parser.end(source);
  return found;
}
