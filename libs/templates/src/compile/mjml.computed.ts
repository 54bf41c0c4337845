import type { TemplateFault } from '../liquid.template';
import { holdsTag, positionsIn } from '../tags';
import type { MjmlAttribute } from './mjml.attributes';

const SIDES = ['padding', 'padding-left', 'padding-right'];
/** Attributes that MJML takes for numbers, to compute others with. */
export const COMPUTED_ATTRIBUTES: Record<string, string[]> = {
  'mj-body': ['width'],
  'mj-wrapper': SIDES,
  'mj-section': ['gutter', ...SIDES],
  'mj-group': ['width'],
  'mj-column': ['width', ...SIDES],
  'mj-hero': ['height', 'background-width', 'background-height', 'padding-top', 'padding-bottom', ...SIDES],
  'mj-image': ['height', ...SIDES],
  'mj-button': ['inner-padding'],
  'mj-divider': SIDES,
  'mj-table': ['width'],
  'mj-social': ['icon-size'],
  'mj-social-element': ['icon-size'],
  'mj-carousel': ['icon-width', 'tb-width'],
};
/** Where attributes of any element may be. */
const SHARED = ['mj-class', 'mj-all'];
const ANY = new Set(Object.values(COMPUTED_ATTRIBUTES).flat());

/** Where MJML writes what it computed. What it copies, such as a title or the name of a class, may have any text. */
const NO_NUMBER =
  /(?:(?:width|height|padding-bottom):|\s(?:width|height)="|mj-column-p(?:er|x)-)(?:NaN|Infinity)[\w%]*/g;

/** MJML writes it itself for a fluid hero without the size of its background, and programs ignore it. */
const OWN_DAMAGE = 'padding-bottom:';

/** Of these MJML reads the digits before the tag, so that they show as a number. */
const DIGITS_BEFORE_TAG = /[\d.]\{[{%]/;

/**
 * Outputs that MJML computed with, as if they were numbers: `width:NaNpx` is no width, for any recipient. Many attributes may hold them,
 * so where html could show the damage, only html that does has faults. `attributes` are those of the source.
 */
export function computedFaults(source: string, attributes: MjmlAttribute[], html: string): TemplateFault[] {
  const damage = damageOf(source, html);
  const unexplained = damage.find((text) => !text.startsWith(OWN_DAMAGE));
  const mayShow = ({ element }: MjmlAttribute) => unexplained !== undefined || (damage.length > 0 && isHeros(element));
  const isFaulty = (one: MjmlAttribute) => DIGITS_BEFORE_TAG.test(one.value) || (mayShow(one) && holdsTag(one.value));
  const positionAt = positionsIn(source);
  const faults = attributes
    .filter((attribute) => isComputed(attribute) && isFaulty(attribute))
    .map(({ element, name, start }) => {
      const detail = `MJML, ${element}: MJML computes with ${name}, so no value can be filled in here; write a number`;
      return { ...positionAt(start), detail };
    });
  if (faults.length > 0 || unexplained === undefined) return faults;
  return [{ ...positionAt(0), detail: generalDetail(unexplained) }];
}

function damageOf(source: string, html: string): string[] {
  const damage: string[] = html.match(NO_NUMBER) ?? [];
  return damage.length > (source.match(NO_NUMBER)?.length ?? 0) ? damage : [];
}

/** An attribute that is not known. */
function generalDetail(damage: string): string {
  return `MJML makes "${damage.trim().replace('"', '')}" of this; write each number that it computes with`;
}

const isHeros = (element: string) => element === 'mj-hero' || SHARED.includes(element);

function isComputed({ element, name }: MjmlAttribute): boolean {
  return SHARED.includes(element) ? ANY.has(name) : (COMPUTED_ATTRIBUTES[element]?.includes(name) ?? false);
}
