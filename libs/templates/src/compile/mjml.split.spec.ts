import { mjmlAttributes } from './mjml.attributes';
import { compileMjml, type Mjml } from './mjml.compile';
import { splitFaults } from './mjml.split';

const size = (value: string, element = 'mj-section') => `<${element} background-url="u" background-size="${value}"/>`;
const faultsOf = (source: string, made: string) => splitFaults(source, mjmlAttributes(source), made);
const html = (value: string) => `<v:fill size="${value.replaceAll(' ', ',')}" />`;

describe('tags that MJML splits at their blanks', () => {
  it.each(['{{ s }}', '{{ s }}px', '10px {{ s }}px', '{{w}}px {{ s }}px', '{% if a %}9px{% endif %}'])(
    'are at the attribute: %s',
    (value) => {
      for (const element of ['mj-section', 'mj-wrapper', 'mj-class', 'mj-all']) {
        const detail = `MJML, ${element}: MJML splits background-size at each blank; write tags in it without any, as in {{size}}`;
        const column = element.length + 23;
        expect(faultsOf(`<mjml>\n ${size(value, element)}`, html(value))).toEqual([{ line: 2, column, detail }]);
      }
    },
  );

  it('are none if there is nothing to split, or the html has it as it was', () => {
    for (const value of ['{{s}}', '10px {{s|default:9}}px', '10px 9px', 'cover'])
      expect(faultsOf(size(value), html(value))).toEqual([]);
    expect(faultsOf(size('{{ s }}'), '<td style="background-size:{{ s }}">')).toEqual([]);
    expect(faultsOf(size('{{ s }}', 'mj-text'), html('{{ s }}'))).toEqual([]);
  });

  it('have places instead of what Liquid says of them, and work without blanks', async () => {
    const { default: mjml } = (await import('mjml')) as unknown as { default: Mjml };
    const compile = (value: string) =>
      compileMjml(mjml, `<mjml><mj-body>\n${size(value).replace('/>', '><mj-column/></mj-section>')}</mj-body></mjml>`);
    for (const value of ['{{ s }}px', '5px {{ s }}px', '{% if a %}9px{% endif %}'])
      expect(await compile(value)).toMatchObject({ faults: [{ line: 2, column: 32 }] });
    expect(await compile('{{w}}px {{h}}px')).toHaveProperty('html');
  });
});
