import { Parser } from 'htmlparser2';
import { HTML_CONTENT_ELEMENTS, PARSER_OPTIONS } from './mjml.limits';

/** An attribute of an element that MJML reads, from the start of its name to the end of its value. */
export interface MjmlAttribute {
  element: string;
  name: string;
  value: string;
  /** What its value is in: `"`, `'`, nothing (`null`); `undefined` without a value. */
  quote: string | null | undefined;
  start: number;
  end: number;
}

/** Those of the html in texts are none of MJML's. */
export function mjmlAttributes(source: string): MjmlAttribute[] {
  const attributes: MjmlAttribute[] = [];
  let element = '';
  let [depth, htmlDepth] = [0, Infinity];
  const parser = new Parser(
    {
      onopentagname(name) {
        element = name;
      },
      onattribute(name, value, quote) {
        const { startIndex: start, endIndex: end } = parser;
        if (depth < htmlDepth) attributes.push({ element, name, value, quote, start, end });
      },
      onopentag(name) {
        depth += 1;
        if (depth < htmlDepth && HTML_CONTENT_ELEMENTS.has(name)) htmlDepth = depth;
      },
      onclosetag() {
        if (depth === htmlDepth) htmlDepth = Infinity;
        depth -= 1;
      },
    },
    PARSER_OPTIONS,
  );
  parser.end(source);
  return attributes;
}

/** Returns a function that finds the attribute, of those in the order of the source, that a place is in. */
export function finderIn(attributes: readonly MjmlAttribute[]): (index: number) => MjmlAttribute | undefined {
  return (index) => {
    let [before, after] = [-1, attributes.length];
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      if (attributes[middle]!.start <= index) before = middle;
      else after = middle;
    }
    const found = attributes[before];
    return found && index < found.end ? found : undefined;
  };
}
