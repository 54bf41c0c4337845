import { TypeGuards, type TopLevelToken } from 'liquidjs';
import { Parser } from 'htmlparser2';
import type { TemplateFault } from '../liquid.template';
import { tokensOf } from '../nesting';
import { positionsIn } from '../tags';
import { mjmlAttributes, type MjmlAttribute } from './mjml.attributes';
import { PARSER_OPTIONS } from './mjml.limits';

interface CutTag {
  at: number;
  detail: string;
}

/**
 * Tags of Liquid that MJML does not read as a whole, because a character in them means something to it. What it complains of instead, if
 * it does, is elsewhere and misleading.
 */
export function cutTagFaults(source: string): TemplateFault[] {
  const tagBefore = tagsBefore(source);
  const elements = elementsInTags(source, tagBefore);
  // What begins an element shifts all that follows.
  const cut =
    elements.length > 0 ? elements : mjmlAttributes(source).flatMap((attribute) => cutBy(attribute, tagBefore));
  const positionAt = positionsIn(source);
  return cut.map(({ at, detail }) => ({ ...positionAt(at), detail }));
}

/** Returns a function that finds the last tag or output that begins before a place. */
function tagsBefore(source: string): (index: number) => TopLevelToken | undefined {
  const tags = tokensOf(source).filter((token) => !TypeGuards.isHTMLToken(token));
  return (index) => {
    let [before, after] = [-1, tags.length];
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      if (tags[middle]!.begin < index) before = middle;
      else after = middle;
    }
    return tags[before];
  };
}

/** A text in a tag may hold whole elements, as in `append: "<br>"`. */
function elementsInTags(source: string, tagBefore: (index: number) => TopLevelToken | undefined): CutTag[] {
  const cut: CutTag[] = [];
  const parser = new Parser(
    {
      onopentagname() {
        const tag = tagBefore(parser.startIndex);
        if (!tag || tag.end <= parser.startIndex) return;
        if (source.slice(parser.startIndex, tag.end).includes('>')) return;
        cut.push({
          at: tag.begin,
          detail: 'MJML takes the < in this tag for the start of an element; put blanks around it',
        });
      },
    },
    PARSER_OPTIONS,
  );
  parser.end(source);
  return cut;
}

function cutBy(attribute: MjmlAttribute, tagBefore: (index: number) => TopLevelToken | undefined): CutTag[] {
  const { start, end, quote } = attribute;
  const tag = tagBefore(end);
  if (!tag || tag.begin < start || (quote !== undefined && tag.end <= end)) return [];
  return [{ at: tag.begin, detail: detailOf(quote) }];
}

function detailOf(quote: MjmlAttribute['quote']): string {
  if (quote === undefined) return 'MJML has no tags between attributes; put them into the value of one';
  if (quote === null) return 'MJML ends the attribute at the first blank; put its value in quotes';
  const other = quote === '"' ? "'" : '"';
  return `MJML ends the attribute at the ${quote} in this tag; write ${other} instead`;
}
