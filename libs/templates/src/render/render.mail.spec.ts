import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RENDER_LIMITS } from '../liquid.limits';
import type { RenderJob, Rendered } from './render.job';
import { MailRenderer } from './render.mail';

function job(parts: Partial<RenderJob>, profile: object = {}): RenderJob {
  return { ...parts, now: 0, data: { profile, contact: {}, campaign: {}, message: {} } };
}

const mails = new MailRenderer();

describe('a rendered mail', () => {
  it('fails with the name of the part that failed', () => {
    expect(mails.render(job({ subject: 'ok', html: '{% for i in (1..99999999999) %}{% endfor %}' }))).toEqual({
      code: 'render_limit',
      detail: expect.stringMatching(/^html/),
    });
    expect(mails.render(job({ text: 'a {{ b | nope }}' }))).toEqual({
      code: 'render_error',
      detail: 'text: line 1, column 3: undefined filter: nope',
    });
  });

  it('is made of a template accepted before, even if it would be refused now', () => {
    expect(mails.render(job({ text: '{{ n, "x" }}' }, { n: 'Ada' }))).toMatchObject({ text: 'Ada' });
  });

  it('gets its time once more after a jump of the clock, as on a paused machine, but only once', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000_000).mockReturnValueOnce(0);
    expect(mails.render(job({ text: '{{ n }}' }, { n: 'Ada' }))).toMatchObject({ text: 'Ada' });
    let now = 0;
    clock.mockImplementation(() => (now += 1_000));
    expect(mails.render(job({ text: '{{ n }}' }, { n: 'Ada' }))).toMatchObject({
      code: 'render_limit',
      outOfTime: true,
    });
    clock.mockRestore();
  });

  it('has a subject of one line and 255 characters at most', () => {
    const subject = (name: string) => mails.render(job({ subject: 'Hi {{ n }}!' }, { n: name }));
    expect(subject('A\r\nBcc: x@y.z\u2028\u0000\u0085B')).toMatchObject({ subject: 'Hi A Bcc: x@y.z B!' });
    expect(mails.render(job({ subject: ' Hi {{ n }}\n' }))).toMatchObject({ subject: 'Hi' });
    expect(mails.render(job({ subject: ' {{ n }}\n', text: 'Hello' }))).toMatchObject({ subject: '', text: 'Hello' });
    expect(subject('😀'.repeat(251))).toMatchObject({ subject: expect.any(String) });
    expect(subject('x'.repeat(252))).toMatchObject({ code: 'render_error' });
  });

  it('has bodies of limited size, counted in bytes', () => {
    const small = new MailRenderer({ ...RENDER_LIMITS, outputBytes: 10 });
    expect(small.render(job({ text: '{{ a }}' }, { a: '1234567890' }))).toMatchObject({ text: '1234567890' });
    expect(small.render(job({ text: '{{ a }}' }, { a: '12345678901' }))).toMatchObject({ code: 'render_limit' });
    expect(small.render(job({ text: '{{ a }}' }, { a: 'éééééé' }))).toMatchObject({ code: 'render_limit' });
    expect(small.render(job({ html: 'no tag, but long' }))).toMatchObject({ code: 'render_limit' });
    expect(small.render(job({ text: '', html: '{{ a }}' }, { a: 'éééééé' }))).toMatchObject({ code: 'render_limit' });
  });

  it('has a text made from the html where it has none', () => {
    const made = mails.render(
      job({ html: '<h1>Hi {{ n }}</h1><p><a href="https://x.test/1">here</a></p>' }, { n: 'A&B' }),
    );
    expect(made).toMatchObject({ html: expect.stringContaining('A&amp;B'), text: 'Hi A&B\n\nhere [https://x.test/1]' });
    expect(mails.render(job({ html: '<p>x</p>', text: '' }))).toMatchObject({ text: '' });
    expect(mails.render(job({ html: '{{ a }}', text: '' }))).toMatchObject({ html: '', text: '' });
    expect(mails.render(job({ subject: 's' }))).toEqual({ subject: 's', text: undefined, html: undefined });
    expect(mails.render(job({ text: 'only' }))).toEqual({ subject: '', text: 'only', html: undefined });
  });

  it.each(['<img src="https://example.com/a.png">', '<p> </p>', '<p>&nbsp;&zwnj;</p>', '<p hidden>Preview</p>'])(
    'has no text where its html has none, as an empty one would be shown instead: %s',
    (html) => {
      expect(mails.render(job({ html }))).toEqual({ subject: '', text: undefined, html });
    },
  );

  it('fails where its html is nested too deep to make a text of it, unless it has a text', () => {
    const html = '{% for i in (1..1001) %}<font color=red>{{ i }}<br>{% endfor %}<p>Total: 7</p>';
    const detail =
      'text: the elements of the html are nested more than 1000 deep; close them, or give the mail a text of its own';
    expect(mails.render(job({ html }))).toEqual({ code: 'render_limit', detail });
    expect(mails.render(job({ html, text: 'Total: 7' }))).toMatchObject({ text: 'Total: 7' });
  });

  it('has no html when that renders blank beside a text', () => {
    expect(mails.render(job({ text: 'only', html: '' }))).toEqual({ subject: '', text: 'only', html: undefined });
    expect(mails.render(job({ text: 'only', html: ' {{ a }}\n' }))).toMatchObject({ text: 'only', html: undefined });
  });

  it('contains no lone surrogates', () => {
    expect(mails.render(job({ text: '{{ a }}' }, { a: 'x\ud83d' }))).toMatchObject({ text: 'x\ufffd' });
  });

  it('depends on its own data alone', () => {
    const names = ['Ada', '{{7*7}}', '<i>'];
    const outcomes = names.map((name) => mails.render(job({ subject: '{{ n }}', html: '{{ n }}' }, { n: name })));
    expect(outcomes.map((outcome) => (outcome as Rendered).subject)).toEqual(names);
    expect(outcomes.map((outcome) => (outcome as Rendered).html)).toEqual(['Ada', '{{7*7}}', '&lt;i&gt;']);
    expect(outcomes.map((outcome) => (outcome as Rendered).text)).toEqual(['Ada', '{{7*7}}', '<i>']);
  });
});

describe('templates that are kept parsed', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const MIB = 1024 * 1024;

  it.each(['<p>{{x}}</p>', '{{ profile.first_name | upcase | default: "customer" }} ', '{% if x %}yes{% endif %}'])(
    'take about 32 MiB at most, many of %j too',
    (part) => {
      const renderer = new MailRenderer({ ...RENDER_LIMITS, messageMs: 60_000 });
      const renderNumber = (n: number) => renderer.render(job({ subject: 's', html: `${part.repeat(250)}${n}` }));
      renderNumber(0);
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      for (let n = 1; n <= 150; n += 1) expect(renderNumber(n)).not.toHaveProperty('code');
      collectGarbage();
      expect((process.memoryUsage().heapUsed - before) / MIB).toBeLessThan(40);
      // Uses it, so that it is still there when its memory is measured.
      expect(renderNumber(0)).toHaveProperty('html');
    },
  );

  it('are not those without tags, of which calls may bring another one for each message', () => {
    const renderer = new MailRenderer();
    const renderNumber = (n: number) =>
      renderer.render(job({ subject: `Order ${n} was sent`, text: 'It is on its way.' }));
    renderNumber(0);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let n = 1; n <= 100_000; n += 1) renderNumber(n);
    collectGarbage();
    expect((process.memoryUsage().heapUsed - before) / MIB).toBeLessThan(5);
    expect(renderNumber(1)).toMatchObject({ subject: 'Order 1 was sent', text: 'It is on its way.' });
  });
});
