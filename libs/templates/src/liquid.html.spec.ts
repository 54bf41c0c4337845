import { render } from './testing/rendering';

const FIRST = "O'Brien & <i>";
const ESCAPED = 'O&#39;Brien &amp; &lt;i&gt;';
const profile = { first: FIRST, token: 'a&b', list: ['<1>', '<2>'], blank: '', gone: null };
const NAME = '{% capture name %}<b>{{ first }}</b>{% endcapture %}';

const html = (source: string) => render(source, profile, 'html');

describe('what a template captured', () => {
  it.each([
    [`${NAME}{{ name }}{% echo name %}`, `<b>${ESCAPED}</b>`.repeat(2)],
    [`${NAME}{% assign other = name %}{{ other }}`, `<b>${ESCAPED}</b>`],
    [`${NAME}{% capture all %}({{ name }}){% endcapture %}{{ all }}`, `(<b>${ESCAPED}</b>)`],
    [`${NAME}{{ name | raw }}`, `<b>${ESCAPED}</b>`],
    ['{% capture "a-b" %}{{ first }}{% endcapture %}{{ a-b }}', ESCAPED],
    [`{% liquid\n capture c\n echo first\n endcapture\n echo c %}`, ESCAPED],
    [
      '{% capture url %}https://x.test/?t={{ token }}{% endcapture %}<a href="{{ url }}">',
      '<a href="https://x.test/?t=a&amp;b">',
    ],
    [
      '{% for i in list %}{% capture c %}{{ i }}{% endcapture %}{{ c }}{{ i }}{% endfor %}',
      '&lt;1&gt;&lt;1&gt;&lt;2&gt;&lt;2&gt;',
    ],
    [
      '{% for i in list %}{% capture all %}{{ all }}<p>{{ i }}</p>{% endcapture %}{% endfor %}{{ all }}',
      '<p>&lt;1&gt;</p><p>&lt;2&gt;</p>',
    ],
    [`${NAME}{% for i in list %}{% cycle name, first %}{% endfor %}`, `<b>${ESCAPED}</b>${ESCAPED}`],
  ])('is not escaped twice in html: %s', (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it.each([
    [`${NAME}{{ gone | default: name }}{{ blank | default: name }}{{ name | default: first }}`, 3],
    [`${NAME}{% assign n = gone | default: name %}{{ n | default: "x" }}`, 1],
    ['{% capture name %}\n <b>{{ first }}</b>\n{% endcapture %}{{ name | strip }}{{ name | lstrip | rstrip }}', 2],
  ])('stays html where it takes the place of nothing, or loses blanks: %s', (source, times) => {
    expect(html(source)).toBe(`<b>${ESCAPED}</b>`.repeat(times));
  });

  it.each([
    '{{ name | slice: 0, 3 }}',
    '{{ name | append: first }}',
    '{{ name | append: "" }}',
    '{{ name | default: first | upcase }}',
    '{{ name | strip: "b" }}',
    '{{ first | default: name }}',
    '{{ list | join: name }}',
    '{% assign name = name | append: first %}{{ name }}',
    '{% assign parts = name | split: "|" %}{{ parts | first }}{% for part in parts %}{{ part }}{% endfor %}',
  ])('is escaped if another filter follows, as its output may not be html any more: %s', (source) => {
    expect(html(NAME + source)).not.toMatch(/[<>']/);
  });

  it('makes no other value safe, not even an equal one', () => {
    expect(html(`{% capture a %}{{ first }}{% endcapture %}{{ first }}{{ a }}`)).toBe(ESCAPED.repeat(2));
    const equal = '{% capture q %}{{ first | raw }}{% endcapture %}<a href="?q={{ q | url_encode }}">';
    for (const shown of ['{{ first }}', '{% echo first %}', '{% cycle first %}', '{{ gone | default: first }}']) {
      expect(html(equal + shown)).toBe(`<a href="?q=O&#39;Brien+%26+%3Ci%3E">${ESCAPED}`);
    }
  });

  it('does not lend its name to other values: of a loop, or assigned later', () => {
    const name = '{% capture c %}<b>{% endcapture %}';
    expect(html(`${name}{% for c in list %}{{ c }}{% endfor %}{{ c }}`)).toBe('&lt;1&gt;&lt;2&gt;<b>');
    expect(html(`${name}{% assign c = first %}{{ c }}`)).toBe(ESCAPED);
    expect(html(`${name}{{ profile.c }}{{ c.first }}{{ c.size }}`)).toBe('3');
  });

  it.each([
    '{% if c == "a b" %}1{% endif %}',
    '{% if c != blank and c != empty and c contains "a" and c > "a" %}1{% endif %}',
    '{% if none == blank and blanks == blank %}1{% endif %}',
    '{% case c %}{% when "a b" %}1{% endcase %}',
    '{% assign words = c | split: " " %}{{ words.size | minus: 1 }}',
    '{% for word in c %}{{ word | size | minus: 2 }}{% endfor %}',
    '{{ c.size | minus: 2 }}',
    '{{ map[c] }}',
  ])('is a text to everything else: %s', (source) => {
    const captures = '{% capture c %}a b{% endcapture %}{% capture blanks %} {% endcapture %}';
    for (const kind of ['html', 'text'] as const) {
      expect(render(captures + source, { map: { 'a b': 1 } }, kind)).toBe('1');
    }
  });

  it('is shown by `cycle` without reading its other values, of which one with an unknown filter was accepted', () => {
    expect(html(`${NAME}{% cycle name, first | nope %}{% if gone %}{% cycle first | nope %}{% endif %}`)).toBe(
      `<b>${ESCAPED}</b>`,
    );
    expect(html('{% cycle first | escape, 1 %}{% cycle first | raw, 2 %}')).toBe(ESCAPED + FIRST);
  });

  it('is shown as it is in text', () => {
    expect(render(`${NAME}{{ name }}`, profile)).toBe(`<b>${FIRST}</b>`);
  });
});

describe('what a template escaped itself', () => {
  it.each(['escape', 'escape_once', 'xml_escape'])('is not escaped twice: %s', (filter) => {
    expect(html(`{% assign n = first | ${filter} %}{{ n }}`)).toBe(ESCAPED);
    expect(html(`{{ first | ${filter} | default: "x" }}{{ first | ${filter} | strip }}`)).toBe(ESCAPED.repeat(2));
  });

  it('is escaped if another filter follows, or if it is raw', () => {
    expect(html('{% assign n = first | escape | append: first %}{{ n }}')).not.toMatch(/[<>']/);
    expect(html('{% assign n = first | raw %}{{ n }}')).toBe(ESCAPED);
    expect(html('{% assign n = first | escape %}{% assign n = first %}{{ n }}')).toBe(ESCAPED);
  });
});
