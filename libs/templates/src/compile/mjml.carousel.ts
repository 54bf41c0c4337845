import { Parser } from 'htmlparser2';
import type { TemplateFault } from '../liquid.template';
import { positionsIn } from '../tags';
import { HTML_CONTENT_ELEMENTS, PARSER_OPTIONS } from './mjml.limits';

const ADVICE = 'an mj-carousel holds only mj-carousel-image, and tags cannot repeat or omit one; write each image out';

/** Elements in a carousel that are no images. MJML fails for them, even for `<mj-raw>`, with an error that tells an author nothing. */
export function carouselFaults(source: string): TemplateFault[] {
  const faults: TemplateFault[] = [];
  const positionAt = positionsIn(source);
  const parents: string[] = [];
  let htmlDepth = Infinity;
  const parser = new Parser(
    {
      onopentag(name) {
        const isRead = parents.length < htmlDepth;
        if (isRead && parents.at(-1) === 'mj-carousel' && name !== 'mj-carousel-image') {
          faults.push({ ...positionAt(parser.startIndex), detail: `MJML, ${name}: ${ADVICE}` });
        }
        parents.push(name);
        if (isRead && HTML_CONTENT_ELEMENTS.has(name)) htmlDepth = parents.length;
      },
      onclosetag() {
        if (parents.length === htmlDepth) htmlDepth = Infinity;
        parents.pop();
      },
    },
    PARSER_OPTIONS,
  );
  parser.end(source);
  return faults;
}
