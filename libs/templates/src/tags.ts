/** The parts of a mail that are templates. Values are HTML-escaped in `html` alone. */
export type TemplateKind = 'subject' | 'text' | 'html';

const TAG_OPENING = /\{\{|\{%/g;

/** Whether a text holds anything that Liquid would act on; one that does not is its own rendering. */
export function holdsTag(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** What parsing a template costs. */
export interface TagSurvey {
  /** Outputs and tags that it opens; each line of a `{% liquid %}` tag is one. */
  tags: number;
  /** Characters inside of them; all of the template where white space around one is trimmed. */
  weight: number;
}

/** Looks a template over without parsing it. Takes linear time whatever it is given. */
export function surveyTags(text: string): TagSurvey {
  const closing = { '{': closings(text, '}}'), '%': closings(text, '%}') };
  let tags = 0;
  let weight = 0;
  let covered = 0;
  let trims = false;
  for (const { index } of text.matchAll(TAG_OPENING)) {
    const end = closing[text[index + 1] as '{' | '%'](index + 2);
    // Inside of `raw` and comments an opening need not be closed, and may lie in another tag: each counts.
    tags += 1 + (index < covered ? 0 : linesOfLiquidTag(text, index, end));
    weight += Math.max(0, end - Math.max(index, covered));
    covered = Math.max(covered, end);
    trims ||= text[index + 2] === '-' || text[end - 1] === '-';
  }
  return { tags, weight: trims ? text.length : weight };
}

/** Finds the next closing mark for positions that only grow; the end of the text where there is none. */
function closings(text: string, mark: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const next = text.indexOf(mark, from);
      found = next === -1 ? text.length : next;
    }
    return found;
  };
}

const LIQUID_TAG = /-?[\s\u180e]*liquid\b/y;

function linesOfLiquidTag(text: string, start: number, end: number): number {
  LIQUID_TAG.lastIndex = start + 2;
  if (!LIQUID_TAG.test(text)) return 0;
  let lines = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** MJML begins with `<mjml`, after white space or a byte order mark (docs/send.md 9). */
export function isMjml(html: string): boolean {
  return /^\s*<mjml\b/i.test(html);
}

const MJML_OR_COMMENT = /<mjml(?=[\s>])|<!--/gi;

/** Where MJML begins that does not come first, so that nobody would compile it; -1 where there is none. Comments may speak of it. */
export function lateMjmlAt(html: string): number {
  if (isMjml(html)) return -1;
  let covered = 0;
  for (const { 0: found, index } of html.matchAll(MJML_OR_COMMENT)) {
    if (index < covered) continue;
    if (found !== '<!--') return index;
    const end = html.indexOf('-->', index);
    if (end === -1) return -1;
    covered = end;
  }
  return -1;
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
