import { cutTagFaults } from './mjml.cut.tags';

const START = '<mjml><mj-body>\n';
const faults = (inner: string) => cutTagFaults(`${START}${inner}</mj-body></mjml>`);

describe('tags that MJML does not read as a whole', () => {
  it.each([
    ['<mj-text>{% if a<b %}x{% endif %}</mj-text>', 10],
    ['<mj-raw>{% if a < b or a<b %}</mj-raw>', 9],
    ['<mj-text>{{ a | append: "<b>" }} {{ a | append: "<b" }}</mj-text>', 34],
    ['<mj-text {{ x }}>{% if a<b %}x{% endif %}</mj-text>', 18],
  ])('are those with the start of an element: %s', (inner, column) => {
    const detail = 'MJML takes the < in this tag for the start of an element; put blanks around it';
    expect(faults(inner)).toEqual([{ line: 2, column, detail }]);
  });

  it.each([
    [`<mj-button href="{{ x | default: "https://y.test/" }}">`, 18, `"`, `'`],
    [`<mj-button href='a{{ x | default: 'https://y.test/' }}'>`, 19, `'`, `"`],
    [`<mj-class name="a" color="{% if a == "b" %}red{% endif %}"/>`, 27, `"`, `'`],
  ])('are those with a quotation mark that ends the attribute: %s', (inner, column, found, meant) => {
    const detail = `MJML ends the attribute at the ${found} in this tag; write ${meant} instead`;
    expect(faults(inner)).toContainEqual({ line: 2, column, detail });
  });

  it('are those in a value without quotes, or between attributes', () => {
    const unquoted = 'MJML ends the attribute at the first blank; put its value in quotes';
    expect(faults('<mj-text color={{ c }}>x</mj-text>')).toEqual([{ line: 2, column: 16, detail: unquoted }]);
    const between = 'MJML has no tags between attributes; put them into the value of one';
    for (const tag of ['{{ attrs }}', '{{attrs}}', '{% cycle "a", "b" %}']) {
      expect(faults(`<mj-text ${tag}>x</mj-text>`)).toEqual([{ line: 2, column: 10, detail: between }]);
    }
  });

  it.each([
    '<mj-text>{% if a < b %}{% if a <= 1 %}{{ x | append: "<b>" }}</mj-text>',
    '<mj-text><a href="{{ x | default: "https://y.test/" }}" {{ x }}>x</a></mj-text>',
    '<mj-button href="{% if a<b %}{{ x }}{% else %}{{ y | default: \'z\' }}{% endif %}">x</mj-button>',
    '<mj-text color={{c}} padding="{{ a }} {{ b }}" mj-class=\'{{ c | default: "d" }}\'>{{ x }}</mj-text>',
    '<!-- {% if a<b %} <mj-text color="{{ x | default: "y" }}"> -->',
  ])('are no others: %s', (inner) => {
    expect(faults(inner)).toEqual([]);
  });

  it('are located in a moment, thousands of them', () => {
    const started = performance.now();
    expect(faults('<mj-text color={{ c }}></mj-text>\n'.repeat(9_000))).toHaveLength(9_000);
    expect(faults('<mj-text>{{ a }}</mj-text>\n'.repeat(9_000) + '{% if a<b '.repeat(9_000))).toHaveLength(0);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
