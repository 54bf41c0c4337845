import { failure, render } from './testing/rendering';

const profile = {
  links: [],
  nulls: [null],
  deep: ['a', [null]],
  names: ['Ada', null],
  items: [
    { a: 1, name: 'x', url: 'u' },
    { a: 2, name: null },
  ],
};

describe('a strict rendering of what filters take out of lists', () => {
  it.each([
    ['{{ links | first }}'],
    ['{{ links | last }}'],
    ['{{ nulls | first }}'],
    ['{{ links | first | upcase }}'],
    ['{{ links | first | append: "!" }}'],
    ['{{ links | first | date: "%F" }}'],
    ['{{ items | find: "name", "q" }}'],
    ['{{ items | where: "name", "q" | first }}'],
    ['{{ items | map: "name" | last }}'],
    ['{% echo links | first %}'],
    ['{{ nulls }}'],
    ['{{ deep }}'],
    ['{{ names }}'],
    ['{% echo names %}'],
    ['{% cycle names %}'],
    ['{{ items | map: "name" }}'],
    ['{{ items | map: "name" | join: ", " }}'],
    ['{{ names | join: "-" }}'],
    ['{{ names | array_to_sentence_string }}'],
    ['{{ names | append: "!" }}'],
    ['{{ "x" | append: names }}'],
  ])('fails where a value is missing: %s', (source) => {
    for (const kind of ['text', 'html'] as const) {
      const detail = `${kind}, line 1, column 2: a value is missing in ${source}`;
      expect(failure(`.${source}`, profile, true, kind)).toEqual({ code: 'render_error', detail });
      expect(typeof failure(source, profile, false, kind)).toBe('string');
    }
  });

  it.each([
    '{% for i in (1..1) %}{% if true %}{{ links | first }}{% endif %}{% endfor %}',
    '{% capture x %}{{ links | first }}{% endcapture %}',
    '{% liquid\n echo links | first\n%}',
  ])('fails where a value is missing within a tag: %s', (source) => {
    const detail = expect.stringMatching(/a value is missing in .*links \| first/) as string;
    expect(failure(source, profile, true)).toEqual({ code: 'render_error', detail });
  });

  it('fails where it is shown later, and names it then', () => {
    const detail = expect.stringContaining('undefined variable: link') as string;
    const source = '{% assign link = links | first %}{{ link }}';
    expect(failure(source, profile, true)).toEqual({ code: 'render_error', detail });
  });

  it.each([
    ['{{ links | first | default: "-" }}', '-'],
    ['{{ items | find: "name", "q" | default: "-" | upcase }}', '-'],
    ['{{ items | map: "url" | last | default: "" }}', ''],
    ['{{ url | default: nil }}', ''],
    ['{{ names | compact | join: "-" }}', 'Ada'],
    ['{{ names | first }}{{ names | size }}{{ names | json }}', 'Ada2["Ada",null]'],
    ['{{ links }}{{ links | join: "-" }}{{ links | size }}', '0'],
    ['{{ "" | first }}{{ "" | upcase }}', ''],
    ['{% assign link = links | first %}{% if link %}{{ link }}{% else %}none{% endif %}', 'none'],
    ['{% assign all = items | map: "name" %}{{ all | first }}', 'x'],
    ['{% if names contains "Ada" %}yes{% endif %}{% for n in names limit: 1 %}{{ n }}{% endfor %}', 'yesAda'],
    ['{% case names.first %}{% when "Ada" %}hi{% endcase %}', 'hi'],
  ])('succeeds where the template provides for it, or nothing is missing: %s', (source, shown) => {
    expect(render(source, profile, 'text', true)).toBe(shown);
  });
});
