import fc from 'fast-check';
import { checkTemplate } from '../compile/template.check';

/** Examples from the documentation of Liquid, of its dialects where they agree, and of LiquidJS. */
const DOCUMENTED = [
  '{{ page.title }} {{ "Hello" }} {{ 4 }} {{ 1.5 }} {{ -1 }} {{ true }} {{ nil }} {{ empty }} {{ (1..3) }} {{ (1..n) | join: ", " }}',
  '{{ page["title"] }} {{ ["first name"] }} {{ pages[0].name }} {{ pages[-1] }} {{ a[b.c].d }} {{ a["x"]["y"] }} {{ a[ b ] }} {{ items.0.name }}',
  '{{ "a,b" | split: "," | join: " and " | upcase }} {{ x | date: "%a, %b %d, %y" }} {{ x | default: "y", allow_false: true }}',
  '{{ product_price | default: 2.99 }} {{ "x".size }} {{ list.first }} {{ list.last.name }} {{ "now" | date: "%Y" }}',
  '{{ x | truncate: 25, ", and so on" }} {{ x | slice: -3, 2 }} {{ x | replace: "a", "b" }} {{ x | where: "type", "kitchen" }}',
  '{{ a | where_exp: "item", "item.price > 1 and item.ok" | map: "title" }} {{ a | sum: "price" }} {{ a | plus: b }}',
  '{{- name -}} {{-name-}} {{ name | }} {{ a == b }} {{ a or b }} {{ a and b == 1 }} {{ a == 1 or 2 == b }} {{ not a }} {{ available? }} {{ a-b }}',
  '{{ "Adam\'s" | append: \'"x"\' }} {{ "a \\" b" }} {{ 5 | at_most: 3 }} {{ 7 | divided_by: 2.0 | round: 2 }}',
  '{% if a %}1{% elsif b == "x" and c contains "y" %}2{% else %}3{% endif %}',
  '{% if a > 1 or b <= 2 and not c %}{% endif %}{% unless a.b["c"] != nil %}{% elsif x %}{% else %}{% endunless %}',
  '{% if title == blank %}{% endif %}{% if not not a %}{% endif %}{% if not a == b %}{% endif %}',
  '{% case handle %}{% when "cake", "pie" %}a{% when "b" or "c" %}b{% when 1, %}{% else %}c{% endcase %}{% case a | size %}{% when 1 %}{% endcase %}',
  '{% for p in collection.products %}{{ p.title }}{% else %}none{% endfor %}{% for i in (1..num) reversed %}{{ i }}{% endfor %}',
  '{% for i in array limit:2 offset:2 %}{% break %}{% endfor %}{% for i in a limit: 3, offset: continue %}{% continue %}{% endfor %}',
  '{% for i in (1..5) reversed limit: x.y %}{{ forloop.index0 }}{% endfor %}{% for c in "abc" %}{% endfor %}',
  '{% cycle "one", "two", "three" %}{% cycle "first": "one", "two" %}{% cycle a, b | upcase, c.d %}',
  '{% tablerow product in collection.products cols:2 limit: 3 offset:1 %}{{ product.title }}{% endtablerow %}',
  '{% assign my = "x" %}{% assign a = b | split: "," | first %}{%- assign ok = a == 1 or b -%}{% assign b = false %}',
  '{% capture my_variable %}x{% endcapture %}{% capture "quoted" %}{% endcapture %}{% increment n %}{% decrement n %}',
  '{% raw %}{{ .Name, }}{% if = %}{{#if}}{% endraw %}{% comment %}{{ .Name }} {% if a = b %}{% endcomment %}{% # a = b %}',
  '{% liquid\n  assign a = "x" | upcase\n  if a == "X"\n    echo a | append: "."\n  else\n    echo\n  endif\n  comment\n  assign a = b, c\n  endcomment\n  # x, y\n%}',
  '{% for item in items %}{% if forloop.first %}{{ item.price | times: item.count | round: 2 }}{% endif %}{% endfor %}',
  '{% echo name | default: "x" %}{% echo %}{{ "%7B%7B a" | url_decode }}{{ a | append: "<b>" }}{{ a < b }}{{ a <b and c> d }}{{ a<b > c }}',
];

describe('a valid template', () => {
  it.each(DOCUMENTED)('is accepted: %s', (text) => {
    expect(checkTemplate(text, 'html')).toEqual([]);
  });

  const join = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
  const list = (item: fc.Arbitrary<string>, min: number, max: number, between = '') =>
    fc.array(item, { minLength: min, maxLength: max }).map((all) => all.join(between));
  const blank = fc.constantFrom('', ' ', '\n ', '\u00a0');
  const space = fc.constantFrom(' ', '\t', ' \n');
  const name = fc
    .stringMatching(/^[A-Za-z_é漢][\w-]{0,6}\??$/)
    .filter((word) => !/^(?:and|or|not|contains|true|false|nil|null|empty|blank|else)\??$/.test(word));
  const quoted = fc.oneof(fc.stringMatching(/^'[^'\\{}%]{0,8}'$/), fc.stringMatching(/^"[^"\\{}%]{0,8}"$/));
  const number = fc.constantFrom('0', '42', '-1', '3.5');
  const word = fc.constantFrom('true', 'false', 'nil', 'empty', 'blank');
  const property = fc.oneof(
    join(fc.constant('.'), name),
    join(fc.constant('['), blank, fc.oneof(name, quoted, number), blank, fc.constant(']')),
  );
  const path = join(
    name.map((text) => text.replace('?', '')),
    list(
      property.map((text) => text.replace('?', '')),
      0,
      3,
    ),
  );
  const range = join(
    fc.constant('('),
    fc.oneof(number, path),
    fc.constant('..'),
    fc.oneof(fc.constant('5'), path),
    fc.constant(')'),
  );
  const operand = fc.oneof(path, path, quoted, number, word, range);
  const compared = join(operand, space, fc.constantFrom('==', '!=', '<', '>', '<=', '>=', 'contains'), space, operand);
  const term = join(fc.constantFrom('', '', 'not '), fc.oneof(path, word, compared));
  const terms = fc.tuple(term, fc.array(fc.tuple(fc.constantFrom(' and ', ' or '), term), { maxLength: 3 }));
  const condition = terms.map(([first, others]) => first + others.flat().join(''));
  const argument = join(blank, fc.oneof(operand, join(name, fc.constant(':'), blank, operand)), blank);
  const filter = join(
    blank,
    fc.constant('|'),
    blank,
    fc.constantFrom('upcase', 'default', 'append', 'prepend', 'where'),
    fc.oneof(fc.constant(''), join(blank, fc.constant(':'), list(argument, 1, 3, ','))),
  );
  const filters = list(filter, 0, 3);
  const dash = fc.constantFrom('', '-');

  it('is accepted in any combination of tags', () => {
    const value = join(fc.oneof(operand, condition), filters);
    const output = join(fc.constant('{{'), dash, space, value, space, dash, fc.constant('}}'));
    const branch = join(fc.constantFrom('if ', 'unless '), condition, filters);
    const loop = join(
      fc.constant('for item in '),
      fc.oneof(path, range),
      fc.constantFrom('', ' reversed', ' limit: 2', ' limit:a.b, offset:1 reversed', ' offset:continue'),
    );
    const tags = fc
      .tuple(output, branch, loop, name, value, quoted)
      .map(
        ([shown, when, over, to, kept, other]) =>
          `${shown}{% ${when} %}{{ a }}{% end${when.split(' ')[0]} %}{%- ${over} -%}{% endfor %}` +
          `{% assign ${to} = ${kept} %}{% case ${to} %}{% when ${other}, 1 or nil %}{% endcase %}{% cycle ${other}, ${to} %}`,
      );
    fc.assert(
      fc.property(tags, (text) => expect(checkTemplate(text, 'html')).toEqual([])),
      { numRuns: 500 },
    );
  });
});
