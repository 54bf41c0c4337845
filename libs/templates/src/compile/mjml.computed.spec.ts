import 'mjml';
import { components } from 'mjml-core';
import { mjmlAttributes } from './mjml.attributes';
import { compileMjml, type Mjml } from './mjml.compile';
import { COMPUTED_ATTRIBUTES, computedFaults } from './mjml.computed';

type Attributes = Record<string, string>;
const COMPONENTS = components as Record<string, { allowedAttributes?: Attributes }>;
const NO_NUMBER = /NaN|Infinity/;
const faultsOf = (source: string, html: string) => computedFaults(source, mjmlAttributes(source), html);

/** A document with each element, and the attributes that it is to have. */
function document(attributesOf: (element: string) => string): string {
  const open = (name: string, own = '') => `<${name} ${own} ${attributesOf(name)}>`;
  const element = (name: string, inner = '', own = '') => `${open(name, own)}${inner}</${name}>`;
  const social = element('mj-social', element('mj-social-element', 'x', 'name="facebook" href="u"'));
  const images = element('mj-carousel-image', '', 'src="a.png"').repeat(2);
  const table = element('mj-table', '<tr><td>x</td></tr>');
  const button = element('mj-button', 'x', 'width="200px"');
  const parts = [element('mj-image', '', 'src="a.png"'), element('mj-divider'), button, table, social];
  const column = element('mj-column', [...parts, element('mj-carousel', images)].join('\n'));
  const section = element('mj-section', column + column);
  const group = element('mj-section', element('mj-group', column));
  const hero = (own: string) => element('mj-hero', element('mj-text', 'x'), `background-url="a.png" ${own}`);
  // The first attribute of a name counts, and a hero of fluid height without both of these is broken anyway.
  const size = attributesOf('mj-hero').includes('background-') ? '' : 'background-width="9px" background-height="9px"';
  const heroes = hero('mode="fixed-height"') + hero(`mode="fluid-height" ${size}`);
  return `<mjml>${open('mj-body')}${section}${element('mj-wrapper', section)}${group}${heroes}</mj-body></mjml>`;
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
    for (const value of ['{{ x }}px', '{% if x %}5px{% else %}9px{% endif %}']) {
      const compiled = await compile(document((element) => (element === name ? `${attribute}="${value}"` : '')));
      const faults = 'faults' in compiled ? compiled.faults : [];
      expect(faults.length).toBeGreaterThan(0);
      for (const { detail } of faults) expect(detail).toContain(`MJML, ${name}: MJML computes with ${attribute}, `);
    }
  });

  it('are the only ones: all others may have values that are filled in later', async () => {
    const others = Object.entries(COMPONENTS)
      .flatMap(numbersOf)
      .filter(({ name, attribute }) => !COMPUTED_ATTRIBUTES[name]?.includes(attribute));
    expect(others.length).toBeGreaterThan(100);
    const { default: mjml } = (await import('mjml')) as unknown as { default: Mjml };
    for (const value of ['{{ x }}px', '5px {{ x }}px', '{% if x %}5px{% else %}9px{% endif %}']) {
      const own = (element: string) => others.filter(({ name }) => name === element);
      const source = document((element) => own(element).reduce((all, one) => `${all} ${one.attribute}="${value}"`, ''));
      const { html } = await mjml(source, {});
      expect(html).toContain(value);
      expect(html).not.toMatch(NO_NUMBER);
    }
  });
});

describe('faults of attributes that MJML computed with', () => {
  it('are at each of them that has a tag, also where they are shared', () => {
    const shared = '<mj-class name="a" width="{{ w }}"/><mj-all padding="{{ p }}px"/><mj-column width="{% w %}"/>';
    const source = `<mjml>\n${shared}<mj-column width="5px"/><mj-text width="{{ w }}"><mj-column width="{{ w }}"/></mj-text></mjml>`;
    const columns = faultsOf(source, '<td style="width:NaNpx">').map(({ line, column }) => [line, column]);
    expect(columns).toEqual([20, 45, 77].map((column) => [2, column]));
  });

  it('are none if the html has no more of them than the source', () => {
    const source = '<mj-column width="{{ w }}">:NaN; "Infinity" NaN</mj-column>';
    expect(faultsOf(source, '<p title="NaN">style:Infinity; NaN Infinity</p>')).toEqual([]);
    expect(faultsOf(source, '<p>Infinity and NaN, Nanking, to NaN</p>')).toEqual([]);
  });

  it('are none for what MJML copies: the title, a description, the name of a font or a class', async () => {
    const image = '<mj-carousel-image src="a.png" alt="Infinity" title="NaN"/>'.repeat(2);
    const text = `<mj-text font-family="Infinity" css-class="NaN x-Infinity">Infinity</mj-text>`;
    const columns = `<mj-column padding="{{ p }}px">${text}</mj-column><mj-column><mj-carousel>${image}</mj-carousel></mj-column>`;
    const head = '<mj-head><mj-title>Infinity</mj-title></mj-head>';
    const source = `<mjml>${head}<mj-body><mj-section>${columns}</mj-section></mj-body></mjml>`;
    expect(await compile(source)).toHaveProperty('html');
  });

  it('are none for a hero without the size of its background, of which MJML makes no number whatever is filled in', async () => {
    const hero = '<mj-hero mode="fluid-height" background-url="a.png"><mj-text>{{ x }}</mj-text></mj-hero>';
    const column = '<mj-section><mj-column padding="{{ p }}px"><mj-text>x</mj-text></mj-column></mj-section>';
    expect(await compile(`<mjml><mj-body>${hero}${column}</mj-body></mjml>`)).toHaveProperty('html');
  });

  it('are also where digits before a tag are the number that MJML reads, as the html cannot show it', async () => {
    const column = (width: string) => `<mj-column width="${width}"><mj-text>x</mj-text></mj-column>`;
    const compiled = (width: string) =>
      compile(`<mjml><mj-body><mj-section>${column(width)}</mj-section></mj-body></mjml>`);
    for (const width of ['1{{ w }}px', '5{% if wide %}0{% endif %}%', '.{{ w }}px'])
      expect(await compiled(width)).toMatchObject({
        faults: [{ detail: expect.stringContaining('computes with width') }],
      });
    const text = '<mj-text padding="1{{ p }}px" height="1{{ h }}px">1{{ x }}</mj-text>';
    expect(faultsOf(`${text}<mj-column padding="10px {{ p }}px"/>`, '')).toEqual([]);
  });

  it('are general if none of the attributes that MJML is known to compute with has a tag', () => {
    const detail = 'MJML makes "width:NaNpx" of this; write each number that it computes with';
    expect(faultsOf('<mj-x size="{{ s }}"/>', '<td style="height:1px;width:NaNpx">')).toEqual([
      { line: 1, column: 1, detail },
    ]);
    for (const [html, shown] of [
      ['<img width="Infinity" height="1">', 'width=Infinity'],
      ['<td class="mj-column-px-NaN mj-x">', 'mj-column-px-NaN'],
    ] as const)
      expect(faultsOf('<mj-x/>', html)).toMatchObject([{ detail: expect.stringContaining(`"${shown}"`) }]);
  });
});
