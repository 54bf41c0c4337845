import { compileMjml, type Mjml } from './mjml.compile';
import { carouselFaults } from './mjml.carousel';

const IMAGE = '<mj-carousel-image src="{{ i }}"/>';
const within = (carousel: string) =>
  `<mjml><mj-body><mj-section><mj-column>\n${carousel}</mj-column></mj-section></mj-body></mjml>`;

describe('what MJML cannot have in a carousel', () => {
  it('is any other element, at its place', () => {
    const detail =
      'an mj-carousel holds only mj-carousel-image, and tags cannot repeat or omit one; write each image out';
    const raw = `<mj-raw>{% for i in l %}</mj-raw>${IMAGE}<mj-raw>{% endfor %}</mj-raw>`;
    expect(carouselFaults(within(`<mj-carousel>${raw}</mj-carousel>`))).toEqual([
      { line: 2, column: 14, detail: `MJML, mj-raw: ${detail}` },
      { line: 2, column: 81, detail: `MJML, mj-raw: ${detail}` },
    ]);
    expect(carouselFaults(within('<mj-carousel><mj-text>x</mj-text></mj-carousel>'))).toEqual([
      { line: 2, column: 14, detail: `MJML, mj-text: ${detail}` },
    ]);
  });

  it('is nothing outside of it, in its images or in html', () => {
    const image = '<mj-carousel-image src="a"><mj-raw>x</mj-raw></mj-carousel-image>';
    const html = '<mj-text><mj-carousel><b>x</b></mj-carousel></mj-text>';
    expect(
      carouselFaults(within(`<mj-raw>x</mj-raw><mj-carousel>${image}</mj-carousel><mj-raw>x</mj-raw>${html}`)),
    ).toEqual([]);
  });

  it('is reported instead of the error that MJML throws', async () => {
    const { default: mjml } = (await import('mjml')) as unknown as { default: Mjml };
    for (const other of ['<mj-raw>{{ i }}</mj-raw>', '<mj-text>x</mj-text>']) {
      const compiled = await compileMjml(
        mjml,
        within(`<mj-carousel thumbnails="hidden">${other}${IMAGE}</mj-carousel>`),
      );
      expect(compiled).toMatchObject({ faults: [{ line: 2, column: 34 }] });
    }
    expect(await compileMjml(mjml, within(`<mj-carousel>${IMAGE}${IMAGE}</mj-carousel>`))).toHaveProperty('html');
  });
});
