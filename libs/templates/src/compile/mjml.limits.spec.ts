import 'mjml';
import { components } from 'mjml-core';
import { MAX_NESTING } from '../nesting';
import { HTML_CONTENT_ELEMENTS, passedLimit } from './mjml.limits';

const within = (inner: string) => `<mjml><mj-body>${inner}</mj-body></mjml>`;
const nested = (name: string, times: number, inner = 'x') =>
  `<${name}>`.repeat(times) + inner + `</${name}>`.repeat(times);

describe('the nesting of MJML', () => {
  it('may be 100 deep, and the first deeper element is located', () => {
    expect(passedLimit(within(nested('mj-hero', MAX_NESTING - 2)))).toBeUndefined();
    expect(passedLimit(within(nested('mj-hero', MAX_NESTING - 1)))).toEqual({
      start: 15 + 9 * (MAX_NESTING - 2),
      detail: 'MJML: elements are nested more than 100 deep',
    });
    expect(passedLimit(within(nested('foo', 20_000)))?.start).toBeGreaterThan(0);
    expect(passedLimit(within('<foo ">'.repeat(200)))?.start).toBeGreaterThan(0);
  });

  it('does not grow with siblings, whether closed in either way or left open in html', () => {
    for (const one of ['<mj-image src="a > b" />', '<mj-spacer></mj-spacer>', '<mj-text><br><p>Hi<b></mj-text>']) {
      expect(passedLimit(within(one.repeat(500)))).toBeUndefined();
    }
  });

  it('excludes html that MJML copies unchanged, and continues after it', () => {
    const html = `<mj-text>${nested('b', 500)}</mj-text>`;
    expect(passedLimit(within(html))).toBeUndefined();
    expect(passedLimit(within(`${html}${nested('mj-hero', 200)}`))?.start).toBeGreaterThan(html.length);
    expect(passedLimit(within('<mj-text a=">"/>' + nested('mj-hero', 200)))?.start).toBeGreaterThan(0);
  });
});

describe('the number of MJML elements', () => {
  const sections = (count: number, inner = '') => within(`<mj-section>${inner}</mj-section>`.repeat(count));

  it('is at most 5,000, and the first one too many is located', () => {
    expect(passedLimit(sections(4_998))).toBeUndefined();
    expect(passedLimit(sections(4_999))).toEqual({
      start: 15 + 25 * 4_998,
      detail: 'MJML: there are more than 5000 elements',
    });
  });

  it('excludes html that MJML copies unchanged', () => {
    expect(passedLimit(within(`<mj-text>${'<b>x</b>'.repeat(10_000)}</mj-text>`))).toBeUndefined();
  });
});

it('the elements with html are those whose content MJML does not read', () => {
  const all = Object.entries(components as Record<string, { endingTag?: boolean }>);
  const names = all.filter(([, { endingTag }]) => endingTag);
  expect([...HTML_CONTENT_ELEMENTS].sort()).toEqual(names.map(([name]) => name).sort());
});
