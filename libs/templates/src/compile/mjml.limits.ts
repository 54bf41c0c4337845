import { Parser } from 'htmlparser2';
import { MAX_NESTING } from '../nesting';

/** Elements whose content MJML does not read: html, which it passes on unchanged, or nothing. */
export const HTML_CONTENT_ELEMENTS = new Set([
  'mj-text',
  'mj-button',
  'mj-table',
  'mj-raw',
  'mj-style',
  'mj-title',
  'mj-preview',
  'mj-accordion-title',
  'mj-accordion-text',
  'mj-navbar-link',
  'mj-social-element',
  'mj-carousel-image',
  'mj-breakpoint',
]);
/** Options of the parser that MJML uses, too. */
export const PARSER_OPTIONS = { recognizeCDATA: true, decodeEntities: false, recognizeSelfClosing: true };

/** More would make more than 2 MiB of html, or take seconds for next to none: each costs MJML up to half a millisecond. */
const MAX_ELEMENTS = 5_000;

/** The first place at which a source passes a limit. */
export interface PassedLimit {
  start: number;
  detail: string;
}

/** Counts and measures the elements that MJML compiles, in a few milliseconds. Unlike MJML, it does not recurse. */
export function passedLimit(source: string): PassedLimit | undefined {
  let [depth, count] = [0, 0];
  let htmlDepth: number | undefined;
  let passed: PassedLimit | undefined;
  const stop = (detail: string) => {
    passed = { start: parser.startIndex, detail };
    parser.pause();
  };
  const parser = new Parser(
    {
      onopentag(name) {
        depth += 1;
        if (passed || htmlDepth !== undefined) return;
        count += 1;
        if (HTML_CONTENT_ELEMENTS.has(name)) htmlDepth = depth;
        else if (depth > MAX_NESTING) stop(`MJML: elements are nested more than ${MAX_NESTING} deep`);
        if (!passed && count > MAX_ELEMENTS) stop(`MJML: there are more than ${MAX_ELEMENTS} elements`);
      },
      onclosetag() {
        if (depth === htmlDepth) htmlDepth = undefined;
        depth -= 1;
      },
    },
    PARSER_OPTIONS,
  );
  parser.end(source);
  return passed;
}
