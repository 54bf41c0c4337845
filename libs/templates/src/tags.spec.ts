import { holdsTag, isMjml, lateMjmlAt, positionOf, positionsIn, surveyTags } from './tags';

describe('scanning a template', () => {
  it('detects whether Liquid would act on it', () => {
    expect(['a { b } %', '{ {a} }', '}}', ''].map(holdsTag)).toEqual([false, false, false, false]);
    expect(['{{a}}', '{% if a %}', 'x {{'].map(holdsTag)).toEqual([true, true, true]);
  });

  it('measures the cost of parsing it', () => {
    expect(surveyTags('no tag')).toEqual({ tags: 0, weight: 0 });
    expect(surveyTags('text {{ab}} {%if b%}x{%endif%}')).toEqual({ tags: 3, weight: 4 + 6 + 7 });
    expect(surveyTags('   {{- a }}   ')).toEqual({ tags: 1, weight: 14 });
    expect(surveyTags('{% liquid\nassign a = 1\necho a %}\n\n')).toMatchObject({ tags: 3 });
    expect(surveyTags('{%liquid\necho a%}{% if a\n  and b\n%}{{}}')).toEqual({ tags: 4, weight: 15 + 16 + 2 });
    expect(surveyTags('{% raw %}{{ {{ {% endraw %}{% if a %}')).toMatchObject({ tags: 5 });
    expect(surveyTags('{{ a').weight).toBe(4);
    expect(['   {{ a -}}   ', '   {%- if a %}   '].map((text) => surveyTags(text).weight)).toEqual([14, 17]);
    expect(surveyTags('{%-\u180eliquid\nassign a = 1\necho a %}')).toMatchObject({ tags: 3 });
    // None of the tags is closed: the lines of one within another are not counted again.
    expect(surveyTags('{% liquid\n'.repeat(100))).toEqual({ tags: 200, weight: 1000 });
  });

  it('recognizes MJML by its beginning', () => {
    expect(['<mjml>', ' \n\uFEFF<mjml lang="en">', '<MJML>', '<mjml'].map(isMjml)).toEqual([true, true, true, true]);
    expect(['<html><mjml>', '<mjmlx>', 'mjml', ''].map(isMjml)).toEqual([false, false, false, false]);
  });

  it('finds MJML that does not come first', () => {
    const behind = [
      '<!-- a --><mjml>',
      '<?xml version="1.0"?>\n<mjml>',
      '{% assign a = 1 %}<MJML>',
      '<html><mjml lang="en">',
    ];
    expect(behind.map(lateMjmlAt)).toEqual([10, 22, 18, 6]);
    const none = ['<mjml><mjml>', '<p>&lt;mjml&gt;</p>', '<mjmlx>', '<!-- <mjml> -->', '<!-- <mjml>', 'mjml', ''];
    expect(none.map(lateMjmlAt)).toEqual(none.map(() => -1));
  });

  it('counts lines and columns from 1', () => {
    expect(positionOf('ab\ncd', 0)).toEqual({ line: 1, column: 1 });
    expect(positionOf('ab\ncd', 2)).toEqual({ line: 1, column: 3 });
    expect(positionOf('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
    const positionAt = positionsIn('a\n\nbc\n');
    const places = [0, 1, 2, 3, 4, 5, 6].map(positionAt).map(({ line, column }) => `${line}:${column}`);
    expect(places).toEqual(['1:1', '1:2', '2:1', '3:1', '3:2', '3:3', '4:1']);
  });
});
