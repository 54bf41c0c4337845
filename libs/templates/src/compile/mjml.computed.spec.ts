import 'mjml';
import { components } from 'mjml-core';
import { compileMjml, type Mjml } from './mjml.compile';
import { COMPUTED_ATTRIBUTES, computedFaults } from './mjml.computed';

type Attributes = Record<string, string>;
const COMPONENTS = components as Record<string, { allowedAttributes?: Attributes }>;
const NO_NUMBER = /NaN|Infinity/;

/** A document with each element, and the attributes that it is to have. */
function document(attributesOf: (element: string) => string): string {
  const open = (name: string, own = '') => `<${name} ${own} ${attributesOf(name)}>`;
  const element = (name: string, inner = '', own = '') => `${open(name, own)}${inner}</${name}>`;
  const social = element('mj-social', element('mj-social-element', 'x', 'name="facebook" href="u"'));
  const images = element('mj-carousel-image', '', 'src="a.png"').repeat(2);
  const table = element('mj-table', '<tr><td>x</td></tr>');
  const parts = [element('mj-image', '', 'src="a.png"'), element('mj-divider'), table, social];
  const column = element('mj-column', [...parts, element('mj-carousel', images)].join('\n'));
  const section = element('mj-section', column + column);
  const group = element('mj-section', element('mj-group', column));
  const hero = element('mj-hero', element('mj-text', 'x'), 'mode="fixed-height" background-url="a.png"');
  return `<mjml>${open('mj-body')}${section}${element('mj-wrapper', section)}${group}${hero}</mj-body></mjml>`;
}

const numbersOf = ([name, { allowedAttributes = {} }]: [string, { allowedAttributes?: Attributes }]) =>
  Object.keys(allowedAttributes)
    .filter((attribute) => /^(?:unit|integer)/.test(allowedAttributes[attribute]!))
    .map((attribute) => ({ name, attribute }));

const compile = async (source: string) => {
  const { default: mjml } = (await import('mjml')) as unknown as { default: Mjml };
  return compileMjml(mjml, source);
};

describe('attributes that MJML computes with', () => {
  const pairs = Object.entries(COMPUTED_ATTRIBUTES).flatMap(([name, names]) =>
    names.map((one) => [name, one] as const),
  );

  it.each(pairs)('cannot be filled in later: %s, %s', async (name, attribute) => {
    const compiled = await compile(document((element) => (element === name ? `${attribute}="{{ x }}px"` : '')));
    const faults = 'faults' in compiled ? compiled.faults : [];
    expect(faults.length).toBeGreaterThan(0);
    for (const { detail } of faults) expect(detail).toContain(`MJML, ${name}: MJML computes with ${attribute}, `);
  });

  it('are the only ones: all others may have values that are filled in later', async () => {
    const others = Object.entries(COMPONENTS)
      .flatMap(numbersOf)
      .filter(({ name, attribute }) => !COMPUTED_ATTRIBUTES[name]?.includes(attribute));
    expect(others.length).toBeGreaterThan(100);
    const source = document((element) =>
      others
        .filter(({ name }) => name === element)
        .map(({ attribute }) => `${attribute}="{{ x }}px"`)
        .join(' '),
    );
    const compiled = await compile(source);
    expect('html' in compiled && compiled.html).toMatch(/\{\{ x \}\}px/);
    expect('html' in compiled && compiled.html).not.toMatch(NO_NUMBER);
  });
});

describe('faults of attributes that MJML computed with', () => {
  it('are at each of them that has a tag, also where they are shared', () => {
    const shared = '<mj-class name="a" width="{{ w }}"/><mj-all padding="{{ p }}px"/><mj-column width="{% w %}"/>';
    const source = `<mjml>\n${shared}<mj-column width="5px"/><mj-text width="{{ w }}"><mj-column width="{{ w }}"/></mj-text></mjml>`;
    const columns = computedFaults(source, '<td style="width:NaNpx">').map(({ line, column }) => [line, column]);
    expect(columns).toEqual([20, 45, 77].map((column) => [2, column]));
  });

  it('are none if the html has no more of them than the source', () => {
    const source = '<mj-column width="{{ w }}">:NaN; "Infinity" NaN</mj-column>';
    expect(computedFaults(source, '<p title="NaN">style:Infinity; NaN Infinity</p>')).toEqual([]);
    expect(computedFaults(source, '<p>Infinity and NaN, Nanking, to NaN</p>')).toEqual([]);
  });
});
