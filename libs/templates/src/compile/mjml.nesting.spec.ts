import { MAX_NESTING } from '../nesting';
import { tooDeepElementAt } from './mjml.nesting';

const within = (inner: string) => `<mjml><mj-body>${inner}</mj-body></mjml>`;
const nested = (name: string, times: number, inner = 'x') =>
  `<${name}>`.repeat(times) + inner + `</${name}>`.repeat(times);

describe('the nesting of MJML', () => {
  it('may be 100 deep, and the first deeper element is located', () => {
    expect(tooDeepElementAt(within(nested('mj-hero', MAX_NESTING - 2)))).toBe(-1);
    expect(tooDeepElementAt(within(nested('mj-hero', MAX_NESTING - 1)))).toBe(15 + 9 * (MAX_NESTING - 2));
    expect(tooDeepElementAt(within(nested('foo', 20_000)))).toBeGreaterThan(0);
    expect(tooDeepElementAt(within('<foo ">'.repeat(200)))).toBeGreaterThan(0);
  });

  it('does not grow with siblings, whether closed in either way or left open in html', () => {
    for (const one of ['<mj-image src="a > b" />', '<mj-spacer></mj-spacer>', '<mj-text><br><p>Hi<b></mj-text>']) {
      expect(tooDeepElementAt(within(one.repeat(500)))).toBe(-1);
    }
  });

  it('excludes html that MJML copies unchanged, and continues after it', () => {
    const html = `<mj-text>${nested('b', 500)}</mj-text>`;
    expect(tooDeepElementAt(within(html))).toBe(-1);
    expect(tooDeepElementAt(within(`${html}${nested('mj-hero', 200)}`))).toBeGreaterThan(html.length);
    expect(tooDeepElementAt(within('<mj-text a=">"/>' + nested('mj-hero', 200)))).toBeGreaterThan(0);
  });
});
