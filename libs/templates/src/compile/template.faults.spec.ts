import { closeSharedCompiler, launchedTemplateFaults, sharedCompiler, templateFaults } from './template.faults';

const body = (inner: string) => `<mjml><mj-body>${inner}</mj-body></mjml>`;
const section = (inner: string) => `<mj-section><mj-column>${inner}</mj-column></mj-section>`;

describe('faults of templates', () => {
  afterAll(closeSharedCompiler);

  it('are reported with field, line and column', async () => {
    const details = { subject: '{{ a', text: 'x\n{% endif %}', html: '{{ a | nope }}' };
    expect(await templateFaults('a', details, '/message')).toEqual([
      { pointer: '/message/subject', code: 'template_invalid', detail: expect.stringMatching(/^Line 1, column 1: /) },
      { pointer: '/message/text', code: 'template_invalid', detail: expect.stringMatching(/^Line 2, column 1: /) },
      { pointer: '/message/html', code: 'template_invalid', detail: 'Line 1, column 1: undefined filter: nope' },
    ]);
  });

  it('are not reported for valid templates and values that are not templates', async () => {
    expect(await templateFaults('a', { subject: 'Hi {{ a }}', text: 'plain', html: '<p>{{ b }}</p>' }, '')).toEqual([]);
    expect(await templateFaults('a', { subject: 7, text: null, html: undefined }, '')).toEqual([]);
  });

  it('are found in a large template without parsing it on the main thread', async () => {
    const html = '{{ a }}'.repeat(2000);
    expect(await templateFaults('a', { html: `${html}{{ a | nope }}` }, '')).toMatchObject([{ pointer: '/html' }]);
    expect(await templateFaults('a', { html }, '')).toEqual([]);
  });

  it('include those of MJML', async () => {
    const html = `\uFEFF\n${body('\n<mj-sectio></mj-sectio>')}`;
    expect(await templateFaults('a', { html }, '')).toMatchObject([
      { detail: expect.stringMatching(/^Line 3, column 1: MJML/) },
    ]);
    expect(await templateFaults('a', { html: '<mjml' }, '')).toHaveLength(1);
    const loose = body(`{% for i in a %}${section('<mj-text>{{ i }}</mj-text>')}{% endfor %}`);
    expect(await templateFaults('a', { html: loose }, '')).toHaveLength(2);
  });

  it('include MJML that does not come first, which would be sent as it is', async () => {
    const html = `{% assign a = 1 %}\n${body(section('<mj-text>Hello</mj-text>'))}`;
    const detail = 'MJML must begin with <mjml: move what is before it inside, and Liquid tags into <mj-raw>';
    expect(await templateFaults('a', { html }, '')).toEqual([
      { pointer: '/html', code: 'template_invalid', detail: `Line 2, column 1: ${detail}` },
    ]);
    expect(await templateFaults('a', { html: '<!-- a --><mjml></mjml>', text: 'about <mjml>' }, '')).toHaveLength(1);
  });

  it('include what Liquid would misread, also in MJML and in html without tags', async () => {
    const html = body(section('<mj-button href="https://x.test/%7B%7Btoken%7D%7D">{{ .Name }}</mj-button>'));
    const faults = [
      expect.objectContaining({ pointer: '/message/html', detail: expect.stringContaining('write {{ token }}') }),
      expect.objectContaining({ code: 'template_invalid', detail: expect.stringContaining('write {{ Name }}') }),
    ];
    expect(await templateFaults('a', { html }, '/message')).toEqual(faults);
    expect(await templateFaults('a', { html: '<a href="https://x.test/%7B%7Btoken%7D%7D">' }, '/message')).toEqual([
      faults[0],
    ]);
  });

  it('include MJML elements left open, whose content would be lost', async () => {
    const detail = 'MJML: close <mj-text> with </mj-text>; otherwise its content is lost';
    for (const text of ['<mj-text>Hello', '<mj-text>Hello</mj-txt>', '<MJ-TEXT>Hello</MJ-TEXT>']) {
      expect(await templateFaults('a', { html: body(section(`\n${text}`)) }, '')).toEqual([
        { pointer: '/html', code: 'template_invalid', detail: `Line 2, column 1: ${detail}` },
      ]);
    }
  });
});

describe('faults of the templates of a campaign', () => {
  afterAll(closeSharedCompiler);

  it('are those of any template, tags of other systems, and links that lead nowhere', async () => {
    const html = '{{ a b }}*|FNAME|*{{ message.unsubscribe_url }}';
    const columns = async (hasLinks: boolean) =>
      (await launchedTemplateFaults('a', { html }, hasLinks)).map(({ detail }) => /column (\d+)/.exec(detail)![1]);
    expect(await columns(false)).toEqual(['6', '10', '19']);
    expect(await columns(true)).toEqual(['6', '10']);
  });

  it('are not looked for in one that has too many tags to be parsed', async () => {
    const text = `*|FNAME|*${'{{ message.unsubscribe_url }}'.repeat(10_001)}`;
    expect(await launchedTemplateFaults('a', { text }, false)).toEqual([
      { pointer: '/text', code: 'template_invalid', detail: 'Line 1, column 1: there are more than 10000 tags' },
    ]);
  });
});

describe('the compiler', () => {
  afterAll(closeSharedCompiler);

  it('turns MJML into html and keeps Liquid tags', async () => {
    const source = body(
      `<mj-raw>{% for i in list %}</mj-raw>${section(
        '<mj-text color="{{ c }}">{{ i }}</mj-text><mj-button href="{{ url }}?a=1&b=2">Go</mj-button>',
      )}<mj-raw>{% endfor %}</mj-raw>`,
    );
    const compiled = await sharedCompiler().compile('a', source);
    const html = 'html' in compiled ? compiled.html : '';
    for (const kept of ['{% for i in list %}', '{{ i }}', '{{ c }}', '{{ url }}?a=1&b=2', '{% endfor %}', '<table']) {
      expect(html).toContain(kept);
    }
  });

  it('reads no files', async () => {
    const [passwd, css] = await Promise.all([
      sharedCompiler().compile('a', body('<mj-include path="/etc/passwd"/>')),
      sharedCompiler().compile('a', body('<mj-include path="./package.json" type="css"/>')),
    ]);
    expect([passwd, css]).toEqual(Array(2).fill({ faults: [expect.objectContaining({ line: 1 })] }));
    expect(JSON.stringify([passwd, css])).not.toMatch(/root:|lettermill/);
  });

  it('compiles the same text once for concurrent callers', async () => {
    const source = body(section('<mj-text>once</mj-text>'));
    const [first, second] = [sharedCompiler().compile('a', source), sharedCompiler().compile('a', source)];
    expect(first).toBe(second);
    expect(await first).toBe(await second);
  });
});
