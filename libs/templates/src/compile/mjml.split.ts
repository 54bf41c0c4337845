import type { TemplateFault } from '../liquid.template';
import { positionsIn } from '../tags';
import type { MjmlAttribute } from './mjml.attributes';

const NAME = 'background-size';
/** Elements that split it, and those where attributes of any element may be. */
const ELEMENTS = new Set(['mj-section', 'mj-wrapper', 'mj-class', 'mj-all']);
const TAG_WITH_BLANK = /\{[{%][^{}]* /;
const SIZE = /\ssize="([^"]*)"/g;

/**
 * Tags that MJML splits at their blanks: of `{{ size }}` it makes `{{,size,}}` for Outlook, which no longer parses. Only html that shows it
 * has faults, as sections without an image have no use for a size. `attributes` are those of the source.
 */
export function splitFaults(source: string, attributes: MjmlAttribute[], html: string): TemplateFault[] {
  const sizes = new Set([...html.matchAll(SIZE)].map(([, size]) => size));
  const positionAt = positionsIn(source);
  return attributes
    .filter((attribute) => mayBeSplit(attribute) && sizes.has(attribute.value.replaceAll(' ', ',')))
    .map(({ element, start }) => {
      const detail = `MJML, ${element}: MJML splits ${NAME} at each blank; write tags in it without any, as in {{size}}`;
      return { ...positionAt(start), detail };
    });
}

function mayBeSplit({ element, name, value }: MjmlAttribute): boolean {
  return name === NAME && ELEMENTS.has(element) && TAG_WITH_BLANK.test(value);
}
