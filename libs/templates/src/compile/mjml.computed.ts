import type { TemplateFault } from '../liquid.template';
import { holdsTag, positionsIn } from '../tags';
import { mjmlAttributes, type MjmlAttribute } from './mjml.attributes';

const SIDES = ['padding', 'padding-left', 'padding-right'];
/** Attributes that MJML takes for numbers, to compute others with. */
export const COMPUTED_ATTRIBUTES: Record<string, string[]> = {
  'mj-body': ['width'],
  'mj-wrapper': SIDES,
  'mj-section': ['gutter', ...SIDES],
  'mj-group': ['width'],
  'mj-column': ['width', ...SIDES],
  'mj-hero': ['height', 'padding-top', 'padding-bottom', ...SIDES],
  'mj-image': ['height', ...SIDES],
  'mj-divider': SIDES,
  'mj-table': ['width'],
  'mj-social': ['icon-size'],
  'mj-social-element': ['icon-size'],
  'mj-carousel': ['icon-width', 'tb-width'],
};
/** Where attributes of any element may be. */
const SHARED = ['mj-class', 'mj-all'];
const ANY = new Set(Object.values(COMPUTED_ATTRIBUTES).flat());

/** As part of a style, an attribute or the name of a class. */
const NO_NUMBER = /(?<=[:"-])(?:NaN|Infinity)(?=[\s"{;%]|px|Infinity)/g;

/**
 * Outputs that MJML computed with, as if they were numbers: `width:NaNpx` is no width, for any recipient. Many attributes may hold them,
 * so only html that shows the damage has faults.
 */
export function computedFaults(source: string, html: string): TemplateFault[] {
  if (countIn(html) <= countIn(source)) return [];
  const positionAt = positionsIn(source);
  return mjmlAttributes(source)
    .filter((attribute) => isComputed(attribute) && holdsTag(attribute.value))
    .map(({ element, name, start }) => {
      const detail = `MJML, ${element}: MJML computes with ${name}, so no value can be filled in here; write a number`;
      return { ...positionAt(start), detail };
    });
}

function countIn(text: string): number {
  return text.match(NO_NUMBER)?.length ?? 0;
}

function isComputed({ element, name }: MjmlAttribute): boolean {
  return SHARED.includes(element) ? ANY.has(name) : (COMPUTED_ATTRIBUTES[element]?.includes(name) ?? false);
}
