/** The parts of a mail that are templates. Values are HTML-escaped in `html` alone. */
export type TemplateKind = 'subject' | 'text' | 'html';

const TAG_OPENING = /\{\{|\{%/g;

/** Whether a text holds anything that Liquid would act on; one that does not is its own rendering. */
export function holdsTag(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** How many outputs and tags a template opens, as a measure of what parsing it costs. */
export function countTags(text: string): number {
  return text.match(TAG_OPENING)?.length ?? 0;
}

/** MJML begins with `<mjml`, after white space or a byte order mark (design 4.9). */
export function isMjml(html: string): boolean {
  return /^\s*<mjml\b/i.test(html);
}

/** Line and column of a character, both counted from 1. */
export function positionOf(text: string, index: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: index - start + 1 };
}
