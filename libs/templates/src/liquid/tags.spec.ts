import { countTags, holdsTag, isMjml, positionOf } from './tags';

describe('tags', () => {
  it('tells what Liquid would act on', () => {
    expect(['a { b } %', '{ {a} }', '}}', ''].map(holdsTag)).toEqual([false, false, false, false]);
    expect(['{{a}}', '{% if a %}', 'x {{'].map(holdsTag)).toEqual([true, true, true]);
    expect(countTags('{{a}} {%if b%}{%-endif%}')).toBe(3);
  });

  it('knows MJML by its beginning', () => {
    expect(['<mjml>', ' \n\uFEFF<mjml lang="en">', '<MJML>', '<mjml'].map(isMjml)).toEqual([true, true, true, true]);
    expect(['<html><mjml>', '<mjmlx>', 'mjml', ''].map(isMjml)).toEqual([false, false, false, false]);
  });

  it('counts lines and columns from 1', () => {
    expect(positionOf('ab\ncd', 0)).toEqual({ line: 1, column: 1 });
    expect(positionOf('ab\ncd', 2)).toEqual({ line: 1, column: 3 });
    expect(positionOf('ab\ncd', 4)).toEqual({ line: 2, column: 2 });
  });
});
