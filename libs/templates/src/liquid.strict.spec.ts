import { failure, render } from './testing/rendering';

describe('a strict rendering', () => {
  const order = { total: 1, link: null };
  it.each([
    ['{{ reset_url }}', 'reset_url'],
    ['{{ profile.reset_url }}', 'profile.reset_url'],
    ['{{ order.number }}', 'order.number'],
    ['{{ reset_url | upcase }}', 'reset_url'],
    ['{{ contact.keys.email }}', 'contact.keys'],
    ['{% for item in items %}x{% endfor %}', 'items'],
    ['{{ none }}', 'none'],
    ['{{ order.link }}', 'order.link'],
    ['{{ order.link.url }}', 'order.link'],
    ['{% for line in lines %}{{ line.name }}{% endfor %}', 'line.name'],
  ])('fails where a value is missing: %s', (source, name) => {
    const detail = expect.stringContaining(`undefined variable: ${name}`) as string;
    const profile = { order, none: null, lines: [{ name: null }] };
    expect(failure(source, profile, true)).toEqual({ code: 'render_error', detail });
    expect(typeof failure(source, profile)).toBe('string');
  });

  it.each([
    ['{{ url }}', { url: 'https://x.test' }, 'https://x.test'],
    ['{{ url }}', { url: '' }, ''],
    ['{{ contact.email }}', {}, 'c@x.test'],
    ['{% if url %}{{ url }}{% else %}none{% endif %}', {}, 'none'],
    ['{% unless url %}none{% endunless %}', {}, 'none'],
    ['{{ url | default: "none" }}', {}, 'none'],
    ['{% assign shown = url %}{{ shown }}', {}, ''],
    ['{% for item in items %}{{ item }}{% endfor %}', { items: [] }, ''],
    ['{% if url == null %}none{% endif %}{{ url | default: "." }}', { url: null }, 'none.'],
    ['{% assign shown = url %}{{ shown }}', { url: null }, ''],
    ['{% if order.paid and order.url %}{{ order.url }}{% endif %}.', { order: {} }, '.'],
  ])('succeeds where the template checks first, or nothing is missing: %s %j', (source, profile, shown) => {
    expect(render(source, profile, 'text', true)).toBe(shown);
  });
});

describe('a strict rendering of an object', () => {
  it.each([
    ['{{ order }}', '{{ order }}'],
    ['{{ profile }}', '{{ profile }}'],
    ['{{ order | upcase }}', '{{ order | upcase }}'],
    ['{{ "x" | append: order }}', '{{ "x" | append: order }}'],
    ['{{ lines | join }}', '{{ lines | join }}'],
    ['{{ lines }}', '{{ lines }}'],
    ['{% capture x %}{{ order }}{% endcapture %}', '{{ order }}'],
    ['{% cycle order %}', '{% cycle order %}'],
  ])('fails where the object is shown as a whole: %s', (source, shown) => {
    const profile = { order: { total: 1 }, lines: [1, { name: 'x' }] };
    const detail = `, line 1, column ${source.indexOf(shown) + 1}: an object is shown as a whole by ${shown}; name a value in it`;
    for (const kind of ['text', 'html'] as const) {
      expect(failure(source, profile, true, kind)).toEqual({ code: 'render_error', detail: kind + detail });
    }
    expect(typeof failure(source, profile)).toBe('string');
  });

  it('succeeds where one of its values is shown, or the template asks for JSON', () => {
    const profile = { order: { total: 1, tags: ['a', 'b'] } };
    expect(
      render('{{ order.total }}{{ order.tags }}{{ order | json }}{% if order %}.{% endif %}', profile, 'text', true),
    ).toBe('1ab{"total":1,"tags":["a","b"]}.');
  });
});
