import { unclosedElements } from './mjml.unclosed';

const column = (inner: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inner}</mj-column></mj-section></mj-body></mjml>`;
const START = column('').indexOf('</mj-column>');

describe('elements whose content MJML would lose', () => {
  it('are those not closed, closed by another name, or cut off', () => {
    const open = [{ start: START, name: 'mj-text' }];
    expect(unclosedElements(column('<mj-text>hello'))).toEqual(open);
    expect(unclosedElements(column('<mj-text>hello</mj-txt>'))).toEqual(open);
    expect(unclosedElements(column('<mj-text>hello').slice(0, START + 12))).toEqual(open);
    expect(unclosedElements(column('<mj-text>hello</mj-text>').slice(0, START + 23))).toEqual(open);
  });

  it('are those not closed before another of the same name', () => {
    const inner = '<mj-text>one<mj-text>two</mj-text><mj-button href="x">lost</mj-button>';
    expect(unclosedElements(column(inner))).toEqual([{ start: START, name: 'mj-text' }]);
  });

  it('are images of a carousel written as in html, after which the next would be lost', () => {
    const images = '<mj-carousel-image src="a"><mj-carousel-image src="b">';
    const carousel = column(`<mj-carousel>${images}</mj-carousel>`);
    expect(unclosedElements(carousel)).toEqual([{ start: START + 13, name: 'mj-carousel-image' }]);
  });

  it('are those closed in capital letters', () => {
    expect(unclosedElements(column('<mj-text>a</mj-text><MJ-BUTTON href="x">b</MJ-BUTTON>'))).toEqual([
      { start: START + 20, name: 'mj-button' },
    ]);
  });

  it('are not those closed in any valid way, whatever html is left open in them', () => {
    for (const inner of [
      '<mj-text>a<br><p>b<b></mj-text>',
      '<mj-text></mj-text><mj-text/><mj-text />',
      '<mj-text>a</mj-text  >',
      '<MJ-TEXT>a</mj-text>',
      '<mj-raw>{% if a < b %}</mj-raw>',
      '<mj-image src="x"/><mj-spacer></mj-spacer>',
      '<!-- <mj-text> --><mj-text>a</mj-text>',
      '',
    ]) {
      expect({ inner, lost: unclosedElements(column(inner)) }).toEqual({ inner, lost: [] });
    }
  });
});
