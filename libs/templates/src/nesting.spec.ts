import { isTemplateFault, parseTemplate } from './liquid.template';
import { MAX_NESTING, tooDeepAt } from './nesting';

const deep = (open: string, close: string, times = MAX_NESTING) => open.repeat(times) + close.repeat(times);

describe('the nesting of a template', () => {
  it.each([
    ['{% if a %}', '{% endif %}'],
    ['{%- unless a -%}', '{%- endunless -%}'],
    ['{% for a in b %}', '{% endfor %}'],
    ['{%case a%}{% when 1 %}', '{%endcase%}'],
    ['{%\n capture a %}', '{% endcapture %}'],
    ['{% tablerow a in b %}', '{% endtablerow %}'],
  ])('%s: may be 100 deep, with any number side by side', (open, close) => {
    expect(tooDeepAt(deep(open, close))).toBe(-1);
    expect(tooDeepAt((open + close).repeat(500))).toBe(-1);
    expect(tooDeepAt(open + deep(open, close) + close)).toBe(MAX_NESTING * open.length);
  });

  it('counts the lines of a liquid tag, including nested ones', () => {
    const lines = (line: string, times: number) => `{% liquid\n${`${line}\n`.repeat(times)}%}`;
    expect(tooDeepAt(lines('if a', 100))).toBe(-1);
    expect(tooDeepAt(`x${lines('if a', 101)}`)).toBe(1);
    expect(tooDeepAt(lines('if a', 60) + lines('endif', 60) + lines(' if a', 100))).toBe(-1);
    expect(tooDeepAt(`{% liquid ${'liquid '.repeat(100)}assign a = 1 %}`)).toBe(-1);
    expect(tooDeepAt(`{% liquid ${'liquid '.repeat(101)}assign a = 1 %}`)).toBe(0);
    expect(tooDeepAt(`{% liquid\n comment\n${'if a\n'.repeat(200)} endcomment %}`)).toBe(-1);
  });

  it('excludes tags in raw and comments', () => {
    const open = '{% if a %}'.repeat(200);
    expect(tooDeepAt(`{% raw %}${open}{% endraw %}`)).toBe(-1);
    expect(tooDeepAt(`{% comment %}{{${open}{% endcomment %}`)).toBe(-1);
    expect(tooDeepAt(`{% raw %}{% endcomment %}${open}{% endraw %}`)).toBe(-1);
    expect(tooDeepAt(`{% raw %}{% endraw %}${open}`)).toBe(21 + MAX_NESTING * 10);
  });

  it.each([
    '{{ "}}{% raw %}" }}',
    `{{ '\\'}}{% comment %}' }}`,
    '{% raw %}{{% endraw %}',
    '{% raw %}{{ {% endraw %}',
    '{% raw %}{%- endraw %}{% endraw %}',
    '{%\u180eif a %}{% endif %}',
    '{% liquid\n\u180eif a\n endif %}',
  ])('counts what follows %s: Liquid parses it', (before) => {
    expect(isTemplateFault(parseTemplate(before, 'text'))).toBe(false);
    const blank = before.includes('\u180e') ? '\u180e' : ' ';
    expect(tooDeepAt(`${before}{%${blank}if a %}${'{% if a %}'.repeat(100)}`)).toBeGreaterThan(0);
    expect(tooDeepAt(`${before}{% liquid\n${`${blank}if a\n`.repeat(101)}%}`)).toBe(before.length);
  });

  it('counts brackets of one tag', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['(', ')'],
    ] as const) {
      expect(tooDeepAt(`{{ a${deep(open, close)} }}`)).toBe(-1);
      expect(tooDeepAt(`{{ a${deep(open, close, 101)} }}`)).toBe(0);
      expect(tooDeepAt(`{% assign a = b${open.repeat(101)} %}`)).toBe(0);
      expect(tooDeepAt(`{{ "}}" | append: a${open.repeat(101)} }}`)).toBe(0);
      expect(tooDeepAt(`{{ a${close.repeat(50)}${open.repeat(101)} }}`)).toBe(0);
      expect(tooDeepAt(`{{ a${(open + close).repeat(500)} }}${open.repeat(200)}`)).toBe(-1);
    }
  });

  it('is reported as a fault with its place, before any recursion', () => {
    const fault = { line: 2, column: 1001, detail: 'tags are nested more than 100 deep' };
    expect(parseTemplate(`Hi\n${'{% if a %}'.repeat(9000)}`, 'text')).toEqual(fault);
    expect(parseTemplate(`{{ ${'a['.repeat(900_000)} }}`, 'text')).toMatchObject({ line: 1, column: 1 });
    const closed = parseTemplate(deep('{% if a %}', '{% endif %}'), 'text');
    expect(isTemplateFault(closed)).toBe(false);
  });

  it('is measured in linear time', () => {
    const hostile = ['{{', '{%', '{% raw %}{%', '{% liquid ', '{% liquid\nliquid ', '[', '{%  '];
    for (const piece of hostile) expect(tooDeepAt(piece.repeat(1_000_000 / piece.length))).toBeLessThan(1_000_000);
  });
});
