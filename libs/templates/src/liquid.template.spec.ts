import fc from 'fast-check';
import { RENDER_LIMITS, RenderBudget } from './liquid.limits';
import { isTemplateFault, parseTemplate, renderTemplate, type ParsedTemplate } from './liquid.template';
import { data, failure, NOW, render } from './testing/rendering';

describe('a template that does not parse', () => {
  it.each([
    ['{{ a', 1, 1],
    ['one\n  {{ a | nope }}', 2, 3],
    ['{% if %}', 1, 6],
    ['{% if x %}', 1, 1],
    ['{% endif %}', 1, 1],
    ['a\nb {% include "x" %}', 2, 3],
    ['{% render "x" %}', 1, 1],
    ['{% layout "x" %}', 1, 1],
    ['{% block x %}{% endblock %}', 1, 1],
    ['{{ "x" | constructor }}', 1, 1],
    ['{% __proto__ %}', 1, 1],
    ['{{ list | sample }}', 1, 1],
  ])('%s', (source, line, column) => {
    expect(parseTemplate(source, 'html')).toMatchObject({ line, column, detail: expect.any(String) });
  });

  it('is reported briefly, without repeating the place', () => {
    const fault = parseTemplate('{% if %}', 'text');
    expect(isTemplateFault(fault) && fault.detail).toBe('invalid value expression: ""');
    const long = parseTemplate(`{% ${'x'.repeat(5000)} %}`, 'text');
    expect(isTemplateFault(long) && long.detail.length).toBeLessThanOrEqual(300);
  });

  it('can be one with too many tags', () => {
    expect(parseTemplate('{{a}}'.repeat(10_001), 'text')).toMatchObject({ line: 1, column: 1 });
  });

  it('never makes the parser throw', () => {
    const pieces = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      ' if ',
      'endif',
      '|',
      'a',
      '"',
      "'",
      '\n',
      ' for i in ',
      '(1..',
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const parsed = parseTemplate(parts.join(''), 'html');
        expect(isTemplateFault(parsed) ? parsed.line : 1).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('a rendering', () => {
  it('has the profile at its root and under profile; reserved names win', () => {
    const profile = { first_name: 'Ada', contact: 'mine', message: 'mine' };
    expect(render('{{ first_name }}/{{ profile.first_name }}', profile)).toBe('Ada/Ada');
    expect(render('{{ contact.email }} {{ campaign.slug }} {{ message.id }}', profile)).toBe('c@x.test welcome m1');
    expect(render('{{ profile.contact }}', profile)).toBe('mine');
  });

  it('shows missing values as nothing', () => {
    expect(render('[{{ a }}{{ a.b.c }}{{ size }}{{ profile.a.b }}]')).toBe('[]');
    expect(render('{{ size }}', { size: 'XL' })).toBe('XL');
  });

  it('shows a list as its values, joined', () => {
    for (const kind of ['text', 'html'] as const)
      expect(render('{{ a }}', { a: ['x', ['y', null, 1]] }, kind)).toBe('xy1');
  });

  it('shows an object, or a list with one in it, as compact JSON', () => {
    const profile = { o: { a: 1, b: ['<i>', null] }, list: [1, { a: 2 }], deep: [[{ c: 3 }]] };
    expect(render('{{ o }} {{ list }} {{ deep }} {{ o.b }}', profile)).toBe(
      '{"a":1,"b":["<i>",null]} [1,{"a":2}] [[{"c":3}]] <i>',
    );
    expect(render('{{ list }} {{ o | raw }}', profile, 'html')).toBe('[1,{&#34;a&#34;:2}] {"a":1,"b":["<i>",null]}');
    expect(render('{% capture x %}{{ list }}{% endcapture %}{% cycle o %}{% echo o %}{{ x }}', profile)).toBe(
      '{"a":1,"b":["<i>",null]}{"a":1,"b":["<i>",null]}[1,{"a":2}]',
    );
    expect(render('{{ list | join: ", " }} {{ "x" | append: list }} {{ o.b | join }}', profile)).toBe(
      '1, {"a":2} x[1,{"a":2}] <i> ',
    );
    expect(render('{{ o | upcase }} {{ o | url_encode }}', { o: { a: 1 } })).toBe('{"A":1} %7B%22a%22%3A1%7D');
    expect(render('{{ o | escape }}', { o: { a: 1 } }, 'html')).toBe('{&#34;a&#34;:1}');
    expect(render('{{ list | map: "a" | last }} {{ o | size }} {{ o | json }}', { list: [{ a: 2 }], o: {} })).toBe(
      '2 0 {}',
    );
    expect(
      render(
        '{{ none }}{{ nil }}{{ empty }}{{ blank }}{{ (1..3) }}{% for i in (1..1) %}{{ forloop.index }}{% endfor %}',
        { none: null },
      ),
    ).toBe('1231');
  });

  it('never reads a value as a template', () => {
    expect(render('{{ a }}', { a: '{{ 7 | times: 7 }}{% raw %}' })).toBe('{{ 7 | times: 7 }}{% raw %}');
    expect(render('{{ a | append: b }}', { a: '{', b: '{ c }}', c: 1 })).toBe('{{ c }}');
  });

  it('escapes values in html only', () => {
    const profile = { a: `<b>&"'` };
    expect(render('{{ a }}', profile, 'html')).toBe('&lt;b&gt;&amp;&#34;&#39;');
    expect(render('{{ a }}', profile, 'text')).toBe(`<b>&"'`);
    expect(render('{{ a }}', profile, 'subject')).toBe(`<b>&"'`);
    expect(render('{{ a | raw }}', profile, 'html')).toBe(`<b>&"'`);
    expect(render('{{ a | escape }}', profile, 'html')).toBe('&lt;b&gt;&amp;&#34;&#39;');
    expect(render('{{ a | xml_escape }}', profile, 'html')).toBe('&lt;b&gt;&amp;&#34;&#39;');
    expect(render('{{ "&lt;" | escape_once }}', profile, 'html')).toBe('&lt;');
    expect(render('{{ a | escape | append: a }}', profile, 'html')).not.toContain('<');
    expect(render('{% capture b %}<i>{{ a }}</i>{% endcapture %}{{ b | raw }}', profile, 'html')).toBe(
      '<i>&lt;b&gt;&amp;&#34;&#39;</i>',
    );
    expect(render('{{ a | newline_to_br }}', profile, 'html')).not.toContain('<b>');
  });

  it('has a fixed present time, in UTC', () => {
    expect(render('{{ "now" | date: "%Y-%m-%d %H:%M:%S %z" }}')).toBe('2026-01-02 03:04:05 +0000');
    expect(render('{{ "today" | date_to_xmlschema }}')).toBe('2026-01-02T03:04:05+00:00');
    const [xml, rfc, short, long] = ['xmlschema', 'rfc822', 'string', 'long_string'].map((name) =>
      render(`{{ "now" | date_to_${name} }}`),
    );
    expect([xml, rfc]).toEqual(['2026-01-02T03:04:05+00:00', 'Fri, 02 Jan 2026 03:04:05 +0000']);
    expect([short, long]).toEqual(['02 Jan 2026', '02 January 2026']);
  });

  it.each([
    ['%F', '2026-01-02'],
    ['%F %T', '2026-01-02 03:04:05'],
    ['%D %R', '01/02/26 03:04'],
    ['%r', '03:04:05 AM'],
    ['100 %%F, %%%F', '100 %F, %2026-01-02'],
  ])('formats dates by %s', (format, date) => {
    expect(render('{{ "now" | date: format }}', { format })).toBe(date);
  });

  it('keeps its assignments to itself', () => {
    const shared = { list: [3, 1, 2] };
    const source = '{% increment n %}{% increment n %}{% assign list = list | sort %}{{ list | join: "" }}';
    expect(render(source, shared)).toBe('01123');
    expect(render(source, shared)).toBe('01123');
    expect(shared).toEqual({ list: [3, 1, 2] });
  });
});

describe('prototypes', () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":"mine","toString":"t","a":{}}') as object;

  it('are not accessible', () => {
    for (const path of ['__proto__.polluted2', 'a.__proto__', 'a.constructor', 'a.toString', 'list.constructor.name']) {
      expect(render(`[{{ ${path} }}{{ profile.${path} }}]`, { a: {}, list: [] })).toBe('[]');
    }
    expect(render('[{{ "x".constructor }}{{ contact.constructor }}{{ contact["__proto__"] }}]')).toBe('[]');
  });

  it('stay clean when the profile has keys of their names, which are ordinary data', () => {
    expect(render('{{ profile.__proto__.polluted }} {{ constructor }} {{ profile.toString }}', hostile)).toBe(
      'yes mine t',
    );
    render('{% assign __proto__ = "x" %}{% capture constructor %}y{% endcapture %}{% increment __proto__ %}', hostile);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('limits', () => {
  it.each([
    ['a long loop', '{% for i in (1..1000000000) %}{% endfor %}'],
    [
      'nested loops',
      '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    ['doubling', `{% assign s = "xxxxxxxxxx" %}${'{% assign s = s | append: s %}'.repeat(40)}`],
    ['captures', `{% assign s = "xxxxxxxxxx" %}${'{% capture s %}{{ s }}{{ s }}{% endcapture %}'.repeat(40)}`],
    ['arrays', `{% assign s = "a,b" | split: "," %}${'{% assign s = s | concat: s %}'.repeat(40)}`],
    ['padding of a date', '{{ "now" | date: "%999999999Y" }}'],
    ['output', '{% for i in (1..100000) %}{{ profile.big }}{% endfor %}'],
    ['objects', '{% for i in (1..100000) %}{% assign s = profile | upcase %}{% endfor %}'],
    [
      'nested objects',
      `{% assign a = profile | where: "x" %}${'{% assign a = a | push: a | push: profile %}'.repeat(40)}{{ a }}`,
    ],
    ['replacing', `{% assign s = profile.big %}${'{% assign s = s | replace: "x", "xxxxxxxxxx" %}'.repeat(9)}`],
  ])('stop %s', (_, source) => {
    expect(failure(source, { big: 'x'.repeat(10_000) })).toMatchObject({ code: 'render_limit' });
  });

  it('stop captures that are each small enough, but not all together', () => {
    const source = Array.from({ length: 11 }, (_, i) => `{% capture c${i} %}{{ big }}{% endcapture %}`).join('');
    const detail = expect.stringContaining('memory') as string;
    expect(failure(source, { big: 'x'.repeat(1_000_000) })).toEqual({ code: 'render_limit', detail });
  });

  it('stop an object in many lists while its text grows, before that is compared with the output', () => {
    const list = (inner: unknown) => Array.from({ length: 100 }, () => inner);
    const detail = expect.stringContaining('memory') as string;
    const profile = { a: list(list({ word: 'x'.repeat(2_000) })) };
    expect(failure('{{ profile.a }}', profile)).toEqual({ code: 'render_limit', detail });
  });

  it('do not hide an ordinary error and its place', () => {
    expect(failure('\n {{ profile.a | append }}', { a: 'x' })).toEqual({
      code: 'render_error',
      detail: expect.stringContaining('text, line 2, column 2: '),
    });
  });

  it('do not stop a large template', () => {
    const large = parseTemplate('{{ a }} '.repeat(10_000), 'text') as ParsedTemplate;
    // A generous time limit for slow machines: this test is not about time.
    const budget = new RenderBudget({ ...RENDER_LIMITS, messageMs: 60_000 }, performance.now());
    expect(renderTemplate(large, { data: data({ a: 1 }), now: NOW }, budget)).toBe('1 '.repeat(10_000));
  });
});
