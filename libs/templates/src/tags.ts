/** The parts of a mail that are templates. Values are HTML-escaped only in `html`. */
export type TemplateKind = 'subject' | 'text' | 'html';

const TAG_OPENING = /\{\{|\{%/g;

/** Whether a text has anything that Liquid would act on. A text without it is rendered as it is. */
export function holdsTag(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** Measures of what parsing a template costs. */
export interface TagSurvey {
  /** Outputs and tags that it opens; each line of a `{% liquid %}` tag counts as one. */
  tags: number;
  /** Characters inside them; the whole template if one of them trims white space. */
  weight: number;
}

/** Surveys a template without parsing it. Always takes linear time. */
export function surveyTags(text: string): TagSurvey {
  const closing = { '{': closingFinder(text, '}}'), '%': closingFinder(text, '%}') };
  let tags = 0;
  let weight = 0;
  let covered = 0;
  let trims = false;
  for (const { index } of text.matchAll(TAG_OPENING)) {
    const end = closing[text[index + 1] as '{' | '%'](index + 2);
    // In `raw` and comments an opening need not be closed, and may be within another tag. Each one counts.
    tags += 1 + (index < covered ? 0 : linesOfLiquidTag(text, index, end));
    weight += Math.max(0, end - Math.max(index, covered));
    covered = Math.max(covered, end);
    trims ||= text[index + 2] === '-' || text[end - 1] === '-';
  }
  return { tags, weight: trims ? text.length : weight };
}

/** Returns a function that finds the next closing mark, for ascending positions; the end of the text if there is none. */
function closingFinder(text: string, mark: string): (from: number) => number {
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

/** Where MJML begins that is not at the start, and so would not be compiled; -1 if nowhere. Comments may mention it. */
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

/** Line and column, both counted from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Returns a function that locates characters of the text. It finds the lines once, as there may be thousands of places to locate. */
export function positionsIn(text: string): (index: number) => Position {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (index) => {
    let [line, after] = [0, starts.length];
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if (starts[middle]! <= index) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: index - starts[line]! + 1 };
  };
}

export function positionOf(text: string, index: number): Position {
  return positionsIn(text)(index);
}
