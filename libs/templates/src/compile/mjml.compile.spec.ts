import { compileMjml, type Mjml, type MjmlError } from './mjml.compile';

const SOURCE = '<mjml>\n <mj-x a="{{ a }}"/></mjml>';

/** A replacement of mjml that returns what a test needs. */
function fake(html: string, errors: MjmlError[] = []): Mjml {
  return () => Promise.resolve({ html, errors });
}

describe('compiling MJML', () => {
  it('finds faults of Liquid in the source before anything else', async () => {
    const compiled = await compileMjml(fake('never'), '<mjml>\n {{ a | nope }}</mjml>');
    expect(compiled).toEqual({ faults: [{ line: 2, column: 2, detail: 'undefined filter: nope' }] });
  });

  it('refuses elements nested too deep for the stack of MJML', async () => {
    const compiled = await compileMjml(fake('never'), `<mjml>\n${'<mj-hero>'.repeat(4000)}`);
    expect(compiled).toEqual({
      faults: [{ line: 2, column: 892, detail: 'MJML: elements are nested more than 100 deep' }],
    });
  });

  it('returns all errors that MJML reports', async () => {
    const errors = [
      { line: 3, tagName: 'mj-x', message: 'does not exist' },
      { line: 4, tagName: 'mj-y', message: 'Attribute foo is illegal' },
    ];
    expect(await compileMjml(fake('<p></p>', errors), SOURCE)).toEqual({
      faults: [
        { line: 3, column: 1, detail: 'MJML, mj-x: does not exist' },
        { line: 4, column: 1, detail: 'MJML, mj-y: Attribute foo is illegal' },
      ],
    });
  });

  it('ignores the type of a value that Liquid fills in later', async () => {
    const errors = [{ line: 1, tagName: 'mj-button', message: 'color has invalid value: {{ c }} for type Color' }];
    expect(await compileMjml(fake('<p></p>', errors), SOURCE)).toEqual({ html: '<p></p>' });
    const either = 'color has invalid value: {% if a %}#0a0{% else %}#a00{% endif %} for type Color';
    const choice = [{ line: 1, tagName: 'mj-text', message: either }];
    expect(await compileMjml(fake('<p></p>', choice), SOURCE)).toEqual({ html: '<p></p>' });
    const illegal = [{ line: 1, tagName: 'mj-text', message: 'Attribute {{x}} is illegal' }];
    expect(await compileMjml(fake('<p></p>', illegal), SOURCE)).toHaveProperty('faults');
  });

  it('reports an output that MJML computed with', async () => {
    const source = '<mjml>\n <mj-column width="{{ w }}%"/></mjml>';
    const detail = 'MJML, mj-column: MJML computes with width, so no value can be filled in here; write a number';
    expect(await compileMjml(fake('<td style="width:NaNpx">'), source)).toEqual({
      faults: [{ line: 2, column: 13, detail }],
    });
  });

  it('reports only the tag that MJML cut, not what it takes the rest for', async () => {
    const source = '<mjml><mj-text>{% if a<b %}x{% endif %}</mj-text></mjml>';
    const fault = { line: 1, column: 16, detail: expect.stringContaining('put blanks around it') };
    expect(await compileMjml(fake(''), source)).toEqual({ faults: [fault] });
    const quotes = '<mjml><mj-class name="a" color="{{ x | default: "red" }}"/></mjml>';
    const atTag = { line: 1, column: 33, detail: expect.stringContaining("write ' instead") };
    const illegal = { line: 1, tagName: 'mj-class', message: 'Attributes red", }}" are illegal' };
    for (const mjml of [fake('', [illegal]), fake('{{ x | default: '), () => Promise.reject(new Error('Malformed'))]) {
      expect(await compileMjml(mjml, quotes)).toEqual({ faults: [atTag] });
    }
  });

  it('reports a tag that MJML dropped, unless it was in a comment', async () => {
    const source = '<mjml><!-- {% if gone %} {% endif %} -->\n {% for i in x %}<mj-text/>{% endfor %}</mjml>';
    expect(await compileMjml(fake('{% endfor %}'), source)).toMatchObject({ faults: [{ line: 2, column: 2 }] });
  });

  it('reports a tag that MJML dropped in one place and kept in another', async () => {
    const source = '<mjml>{% if a %}{% endif %}\n{% if a %}<mj-text/>{% endif %}</mjml>';
    const compiled = await compileMjml(fake('{% if a %}{% endif %} for all'), source);
    const detail = expect.stringContaining('here or at another of its places');
    const places = [1, 2].map((line) => ({ line, detail }));
    expect(compiled).toMatchObject({ faults: [...places, ...places] });
    expect(await compileMjml(fake('{% if a %}{% endif %}'.repeat(2)), source)).toHaveProperty('html');
  });

  it('says of a tag dropped in an attribute that MJML reads that, once, and not where MJML computes with it', async () => {
    const choice = '{% if a %}x{% endif %}';
    const detail = expect.stringMatching(/^MJML drops .* at this place: write one value for mode, as MJML may read it/);
    const hero = `<mjml><mj-hero mode="${choice}"/></mjml>`;
    expect(await compileMjml(fake('<p></p>'), hero)).toMatchObject({ faults: [{ detail }, { detail }] });
    const column = `<mjml><mj-column width="${choice}"/></mjml>`;
    const computed = expect.stringContaining('MJML computes with width');
    expect(await compileMjml(fake('<p style="width:NaNpx">'), column)).toMatchObject({
      faults: [{ detail: computed }],
    });
  });

  it('reports only the faulty element when a tag is lost with it', async () => {
    const unknown = { line: 1, tagName: 'mj-txt', message: 'does not exist' };
    expect(await compileMjml(fake('', [unknown]), '<mjml><mj-txt>{{ x }}</mj-txt></mjml>')).toEqual({
      faults: [{ line: 1, column: 1, detail: 'MJML, mj-txt: does not exist' }],
    });
    expect(await compileMjml(fake(''), '<mjml><mj-text>{% if x %}{{ x }}{% endif %}</mjml>')).toEqual({
      faults: [{ line: 1, column: 7, detail: 'MJML: close <mj-text> with </mj-text>; otherwise its content is lost' }],
    });
  });

  it('keeps an output tag that contains HTML', async () => {
    const source = `<mjml><mj-text>{{ a | append: "<" }} {{ b | append: '<b>' }}</mj-text></mjml>`;
    const html = `<p>{{ a | append: "<" }} {{ b | append: '<b>' }}</p>`;
    expect(await compileMjml(fake(html), source)).toEqual({ html });
  });

  it('reports an output that MJML dropped between elements, but not one in a dropped attribute or style', async () => {
    const source =
      '<mjml>\n {{ x }}<mj-text size="{{ s }}">{{ name }}</mj-text><mj-style>p > b {{ css }}</mj-style></mjml>';
    expect(await compileMjml(fake('{{ name }}'), source)).toEqual({
      faults: [{ line: 2, column: 2, detail: 'MJML drops {{ x }} at this place: put it into <mj-raw>' }],
    });
    expect(await compileMjml(fake('{{ name }}{{ x }}'), source)).toHaveProperty('html');
  });

  it('refuses an include, which MJML would silently drop, unless it is in a comment', async () => {
    for (const name of ['mj-include', 'MJ-Include']) {
      const source = `<mjml><!-- <${name} path="a.mjml" /> -->\n <${name} path="footer.mjml" /></mjml>`;
      expect(await compileMjml(fake('<p></p>'), source)).toEqual({
        faults: [{ line: 2, column: 2, detail: 'MJML: mj-include is not supported; put the content here' }],
      });
    }
  });

  it('locates thousands of lost tags behind many lines and comments, each in its place', async () => {
    const before = '<!--{{ x }}-->\n'.repeat(1_000) + '\n'.repeat(200_000);
    const compiled = await compileMjml(fake(''), `<mjml>${before}${'{{a}}'.repeat(900)}${'<mj-include/>'.repeat(900)}`);
    const faults = 'faults' in compiled ? compiled.faults : [];
    const places = faults.map(({ line, column }) => ({ line, column }));
    expect(places).toEqual(
      Array.from({ length: 1800 }, (_, n) => {
        return { line: 201_001, column: n < 900 ? 1 + 5 * n : 4_501 + 13 * (n - 900) };
      }),
    );
  });

  it('refuses a result that is too large or broken, and errors thrown by MJML', async () => {
    expect(await compileMjml(fake('x'.repeat(2 ** 21 + 1)), SOURCE)).toMatchObject({ faults: [{ line: 1 }] });
    expect(await compileMjml(fake('{{ a'), SOURCE)).toMatchObject({ faults: [{ line: 1 }] });
    expect(await compileMjml(() => Promise.reject(new Error('Malformed')), SOURCE)).toEqual({
      faults: [{ line: 1, column: 1, detail: 'MJML: Malformed' }],
    });
  });

  it('loads fonts only where the template names them, whatever those before it named', async () => {
    const mjml = ((await import('mjml')) as unknown as { default: Mjml }).default;
    const compile = async (head: string, font: string) => {
      const text = `<mj-text ${font}>Hello</mj-text><mj-button href="https://x.test/">Go</mj-button>`;
      const body = `<mj-body><mj-section><mj-column>${text}</mj-column></mj-section></mj-body>`;
      return JSON.stringify(await compileMjml(mjml, `<mjml><mj-head>${head}</mj-head>${body}</mjml>`));
    };
    const loads = /<link[^>]*stylesheet|@import|googleapis/;
    expect(await compile('', '')).not.toMatch(loads);
    const own = await compile('<mj-font name="Own" href="https://fonts.test/own.css" />', 'font-family="Own, Arial"');
    expect(own).toContain('@import url(https://fonts.test/own.css)');
    expect(own).not.toContain('googleapis');
    for (const font of ['Own', 'Roboto', 'Lato']) expect(await compile('', `font-family="${font}"`)).not.toMatch(loads);
  });
});
