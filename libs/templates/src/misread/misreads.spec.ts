import fc from 'fast-check';
import { checkTemplate } from '../compile/template.check';

const detailsOf = (text: string) => checkTemplate(text, 'html').map(({ detail }) => detail);

describe('a template of another language that Liquid would parse', () => {
  it.each([
    ['{{ .Name }}', '«.Name» is not understood; write {{ Name }}'],
    ['{{ .User.Name }}', '«.User.Name» is not understood; write {{ User.Name }}'],
    [`{{ name, 'x' }}`, `«, 'x'» is not understood; write {{ name | default: "x" }}`],
    [`{{ name ?? 'x' }}`, `«?? 'x'» is not understood; write {{ name | default: "x" }}`],
    [`{{ name || 'x' }}`, `«| 'x'» is not understood; write {{ name | default: "x" }}`],
    [`{{ name or 'x' }}`, `«or 'x'» is not understood; write {{ name | default: "x" }}`],
    ['{{ name or 5 }}', '«or 5» is not understood; write {{ name | default: 5 }}'],
    [`{{ name 'x' }}`, `«'x'» is not understood; write {{ name | default: "x" }}`],
    ['{{ user?.name }}', '«user?.name» is not understood; write {{ user.name }}'],
    ['{{ 1 + 2 }}', '«+ 2» is not understood; calculate with filters: price | plus: 1, or first | append: last'],
    ['{{ 1 +2 }}', '«+2» is not understood; calculate with filters: price | plus: 1, or first | append: last'],
    [
      `{{ name | default('x') }}`,
      `«('x')» is not understood; the values of a filter follow a colon: {{ name | default: "x" }}`,
    ],
    ['{{{ name }}}', expect.stringContaining('two braces are enough')],
    ['{{#if name}}', expect.stringContaining('{% if name %}')],
    ['{{ if .Name }}', expect.stringContaining('{% if name %}')],
    ['{{#each items}}', expect.stringContaining('{% for item in items %}')],
    ['{{ range .Items }}', expect.stringContaining('{% for item in items %}')],
    ['{{ a ? b : c }}', expect.stringContaining('{% if a %}b{% else %}c{% endif %}')],
    ['{{ a if b else c }}', expect.stringContaining('{% if a %}b{% else %}c{% endif %}')],
    ['{{> footer }}', '«> footer» is not understood; a template cannot use others: put their content here'],
    ['{{ user->name }}', '«user->name» is not understood; write {{ user.name }}'],
    ['{{ ../name }}', '«../name» is not understood; write {{ name }}'],
    ['{{ ${first_name} }}', '«${first_name}» is not understood; write {{ first_name }}'],
    [
      '{{ @index }}',
      '«@index» is not understood; write {{ forloop.index0 }}, {{ forloop.first }} or {{ forloop.last }}',
    ],
    ['{{ "a" ~ b }}', expect.stringContaining('first | append: last')],
    ['{{ name | upper }}', '«upper» is not understood; write {{ name | upcase }}'],
    ['{{ name | default: "x" | title }}', '«title» is not understood; write {{ name | capitalize }}'],
    ['{{ (1..user?.n) }}', '«user?.n» is not understood; write {{ name }}, or with filters {{ name | default: "x" }}'],
    ['{{ (.From..5) }}', expect.stringContaining('«.From» is not understood')],
    ['{{ list[user?.n] }}', expect.stringContaining('«user?.n» is not understood')],
    ['{{ list | where: user?.n, 1 }}', expect.stringContaining('«user?.n» is not understood')],
    ['{{ name | default: "x", allow_false: user?.n }}', expect.stringContaining('«user?.n» is not understood')],
    ['{{ True }}', '«True» is not understood; write true'],
  ])('is refused with its equivalent in Liquid: %s', (text, detail) => {
    expect(detailsOf(text)).toEqual([detail]);
    expect(detailsOf(`{% liquid\n  echo ${text.replace(/^\{\{|\}\}$/g, '').trim()}\n%}`)).toEqual([expect.any(String)]);
  });

  it.each([
    '{{ name. }}',
    '{{ name . }}',
    '{{ "x". }}',
    '{{ name) }}',
    '{{ a .b }}',
    '{{ list.[0] }}',
    '{{ list[0 1] }}',
    '{{ list[] }}',
    '{{ name or }}',
  ])('is refused for an ending that Liquid would ignore: %s', (text) => {
    expect(detailsOf(text)).toEqual([expect.stringMatching(/^«.+» is not understood; write \{\{ /)]);
  });

  it.each([
    ['{% if a && b %}', '«&& b» is not understood; write {% if a and b %}'],
    ['{% if a || b %}', '«| b» is not understood; write {% if a or b %}'],
    ['{% if a = b %}', '«= b» is not understood; write {% if a == b %}'],
    ['{% if a <> b %}', '«> b» is not understood; write {% if a != b %}'],
    ['{% if !a %}', '«!a» is not understood; write {% unless a %}, or {% if not a %}'],
    ['{% if eq a b %}', '«a b» is not understood; compare with ==, !=, < and >'],
    ['{% if list | size > 1 %}', '«> 1» is not understood; filter it before: {% assign count = list | size %}'],
    ['{% if a in list %}', '«in list» is not understood; write {% if list contains item %}'],
    ['{% if a, b %}', expect.stringContaining('«, b» is not understood')],
    ['{% if a == not b %}', expect.stringContaining('«not b» is not understood')],
    ['{% if a == %}', expect.stringContaining('«==» is not understood')],
    ['{% if (a or b) and c %}', expect.stringContaining('have no brackets')],
    ['{% if a == "x %}', '«"x» is not understood; close the quote'],
    [`{% if a == 'x' or 'y' %}`, `«or 'y'» is not understood; write {% if a == 'x' or a == 'y' %}`],
    ['{% if a.b == 1 or 2 %}', '«or 2» is not understood; write {% if a.b == 1 or a.b == 2 %}'],
    ['{% if a and "y" and b %}', '«and "y" and b» is not understood; compare each: {% if a == "x" or a == "y" %}'],
    ['{% if user->name %}', '«user->name» is not understood; write {% if user.name %}'],
    ['{% if paid == True %}', '«True» is not understood; write true'],
    ['{% if paid != False %}', '«False» is not understood; write false'],
    ['{% if a == 1 %}{% elif b %}', '«elif» is not understood; write {% elsif name %}'],
    ['{% if b %}{% elsif a = b %}', '«= b» is not understood; write {% if a == b %}'],
  ])('is refused for its condition: %s', (text, detail) => {
    expect(detailsOf(`${text}y{% endif %}`)).toEqual([detail]);
  });

  it.each([
    ['{% assign x == 1 %}', expect.stringContaining('{% assign name = value %}')],
    [`{% assign x = name or 'x' %}`, `«or 'x'» is not understood; write name | default: "x"`],
    ['{% assign x = [1, 2] %}', expect.stringContaining('split')],
    ['{% for a of list %}{% endfor %}', expect.stringContaining('{% for item in items %}')],
    ['{% for k, v in list %}{% endfor %}', expect.stringContaining('{% for item in items %}')],
    [
      '{% for a in list | sort %}{% endfor %}',
      '«| sort» is not understood; filter it before: {% assign sorted = items | sort %}',
    ],
    ['{% for a in user?.list %}{% endfor %}', expect.stringContaining('«user?.list» is not understood')],
    ['{% for a in list limit: user?.n %}{% endfor %}', expect.stringContaining('«user?.n» is not understood')],
    ['{% case user?.n %}{% when 1 %}{% endcase %}', expect.stringContaining('«user?.n» is not understood')],
    ['{% for a in list %}{% continue if a %}{% endfor %}', expect.stringContaining('«if a» is not understood')],
    ['{% decrement n by 2 %}', '«by 2» is not understood'],
    ['{% for a in list limit=2 %}{% endfor %}', expect.stringContaining('limit: 3')],
    ['{% for a in list limit 2 %}{% endfor %}', expect.stringContaining('limit: 3')],
    ['{% for a in list if a %}{% endfor %}', expect.stringContaining('«if a» is not understood')],
    ['{% for a in 1..5 %}{% endfor %}', '«..5» is not understood; a range is in brackets: (1..5)'],
    ['{% tablerow a in list columns: 2 %}{% endtablerow %}', expect.stringContaining('«columns: 2»')],
    ['{% tablerow a in list reversed %}{% endtablerow %}', expect.stringContaining('«reversed»')],
    ['{% unless a %}x{% else if b %}y{% endunless %}', '«if b» is not understood; write {% elsif name %}'],
    ['{% case a %}{% when 1 2 %}{% endcase %}', '«2» is not understood'],
    ['{% capture order.link %}x{% endcapture %}', '«.link» is not understood'],
    [`{% cycle 'a' 'b' %}`, `«'b'» is not understood`],
    ['{% increment n by 2 %}', '«by 2» is not understood'],
    ['{% for a in list %}{% break if a %}{% endfor %}', expect.stringContaining('«if a» is not understood')],
  ])('is refused for its tag: %s', (text, detail) => {
    expect(detailsOf(text)).toEqual([detail]);
  });

  it.each(['d.m.Y', 'YYYY-MM-DD', 'medium', '%Y, week %V', '%d.%m.%Y %'])(
    'is refused for its date format: %s',
    (format) => {
      expect(detailsOf(`{{ at | date: "${format}" }}`)).toEqual([
        `«"${format}"» is not understood; write a format of strftime: {{ at | date: "%Y-%m-%d %H:%M" }}`,
      ]);
    },
  );

  it('may have any format of strftime that Liquid knows, or one from the data', () => {
    for (const format of ['%Y', '%-d. %B %Y', '%e %^b %3N %%', '%F %T', ' %Z', '']) {
      expect(detailsOf(`{{ at | date: "${format}" }}{{ at | date: '${format}', 'Europe/Berlin' }}`)).toEqual([]);
    }
    expect(detailsOf('{{ at | date }}{{ at | date: format }}{{ at | date: format: "x" }}')).toEqual([]);
  });

  it.each([
    [
      '{{ loop.index }}',
      '«loop.index» is not understood; write forloop.index; a value of that name is profile.loop.index',
    ],
    ['{% if loop.last %}{% endif %}', expect.stringContaining('write forloop.last')],
    ['{% unless not loop.first %}{% endunless %}', expect.stringContaining('«loop.first»')],
    ['{{ forloop.counter0 }}', expect.stringContaining('write forloop.index0')],
    ['{{ this.price.net | round }}', expect.stringContaining('write line.price.net;')],
    ['{{ this }}', '«this» is not understood; write line; a value of that name is profile.this'],
  ])('is refused for a name that loops have elsewhere: %s', (text, detail) => {
    expect(detailsOf(`{% for line in lines %}${text}{% endfor %}${text}`)).toEqual([detail]);
    const inLoop = (name: string) => `{% for ${name} in lines %}{% for line in x %}${text}{% endfor %}{% endfor %}`;
    if (!text.includes('forloop')) expect(detailsOf(inLoop(text.includes('this') ? 'this' : 'loop'))).toEqual([]);
  });

  it('may have names that only resemble those of loops elsewhere', () => {
    const names = [
      'loop.name',
      'loops.index',
      'loop',
      'forloop.index',
      'thistle.a',
      'this_one',
      'this-one',
      'profile.this.x',
    ];
    expect(detailsOf(`{% for a in b %}${names.map((name) => `{{ ${name} }}`).join('')}{% endfor %}`)).toEqual([]);
  });

  it.each(['{{ }}', '{% if %}{% endif %}', '{% for %}{% endfor %}', '{{ list[0 }}', '{% assign a = %}', '{% cycle %}'])(
    'gets the error of Liquid itself where there is nothing to name: %s',
    (text) => {
      expect(detailsOf(text)).toEqual([expect.not.stringContaining('is not understood')]);
    },
  );

  it('is refused with the place of each fault, up to 20 of them', () => {
    expect(checkTemplate(`Hi\n {{ .A }}{{ b }} {% if c = 1 %}{% endif %}`, 'text')).toMatchObject([
      { line: 2, column: 5, detail: expect.stringContaining('«.A»') },
      { line: 2, column: 26, detail: expect.stringContaining('«= 1»') },
    ]);
    expect(detailsOf('{{ .A }}'.repeat(50))).toHaveLength(20);
    expect(detailsOf('%7B%7Btoken%7D%7D'.repeat(50))).toHaveLength(20);
  });

  it('is quoted in short', () => {
    expect(detailsOf(`{{ name ?? ${'x'.repeat(57)} }}`)).toEqual([expect.stringContaining(`«?? ${'x'.repeat(57)}»`)]);
    expect(detailsOf(`{{ name ?? ${'x'.repeat(58)} }}`)).toEqual([expect.stringContaining(`«?? ${'x'.repeat(57)}…»`)]);
  });

  it('may show values named else and end outside of a branch', () => {
    for (const block of ['if a', 'unless a', 'for a in b', 'case a']) {
      const text = `{% ${block} %}x{{else}}y{% end${block.split(' ')[0]} %}{{ else }}`;
      expect(detailsOf(text)).toEqual([expect.stringContaining('write {% else %}')]);
    }
    expect(
      detailsOf('{{ else }} {{ end }} {% if a %}{% endif %}{{ else }}{% if a %}{{ profile.else }}{% endif %}'),
    ).toEqual([]);
  });
});

it('checkTemplate never throws, whatever it is given', () => {
  const pieces = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    '{% liquid\n',
    '\n',
    ' if ',
    ' endif ',
    ' for a in ',
    ' cycle ',
    ' when ',
    ' case ',
    ' assign a =',
    ' else ',
    '|',
    ':',
    ',',
    '.',
    '..',
    '[',
    ']',
    '(',
    ')',
    '"',
    "'",
    ' or ',
    ' not ',
    ' == ',
    '<',
    '>',
    ' a',
    'b?',
    '1',
    '%7B%7B',
    '%7D%7D',
    '\u200b',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      for (const { line, column, detail } of checkTemplate(parts.join(''), 'html')) {
        expect([line > 0, column > 0, detail.length > 0]).toEqual([true, true, true]);
      }
    }),
    { numRuns: 2000 },
  );
});
