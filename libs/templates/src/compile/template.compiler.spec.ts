import * as template from '../liquid.template';
import { ThreadStopped, WorkThread } from '../threads/work.thread';
import { TemplateCompiler } from './template.compiler';

jest.mock('../liquid.template', () => {
  const actual = jest.requireActual<typeof template>('../liquid.template');
  return { ...actual, parseTemplate: jest.fn(actual.parseTemplate) };
});

const here = jest.mocked(template.parseTemplate);
const turn = () => new Promise(setImmediate);

describe('checking templates', () => {
  let compiler: TemplateCompiler;
  beforeEach(() => {
    compiler = new TemplateCompiler();
    here.mockClear();
  });
  afterEach(() => compiler.close());

  it('is done here for small ones, once each', async () => {
    expect(await compiler.check('Dear {{ name }}', 'html')).toEqual([]);
    expect(await compiler.check('Dear {{ name }}', 'html')).toEqual([]);
    expect(await compiler.check('Dear {{ name | nope }}', 'subject')).toHaveLength(1);
    expect(here).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['tags', '{{ name }} '.repeat(300)],
    ['text around a tag', `{{ name }}${'x'.repeat(100_000)}`],
  ])('is done elsewhere for much in %s, with the same answers', async (_what, text) => {
    expect(await compiler.check(text, 'html')).toEqual([]);
    expect(await compiler.check(`${text}\n{{ name | nope }}`, 'html')).toMatchObject([{ line: 2, column: 1 }]);
    expect(here).not.toHaveBeenCalled();
  });

  it('is done anew for what took too long: the machine may have been busy', async () => {
    const run = jest.spyOn(WorkThread.prototype, 'run').mockRejectedValueOnce(new ThreadStopped('time', 0));
    const mjml = '<mjml><mj-body></mj-body></mjml>';
    expect(await compiler.compile(mjml)).toMatchObject({ faults: [{ detail: expect.stringContaining('longer') }] });
    expect(await compiler.compile(mjml)).toHaveProperty('html');
    expect(await compiler.compile(mjml)).toHaveProperty('html');
    expect(run).toHaveBeenCalledTimes(2);
    run.mockRestore();
  });

  it.each([
    ['time', -1],
    ['exit', 0],
  ] as const)(
    'rejects where a thread ended (%s, at step %i) for which the template is not to blame',
    async (why, step) => {
      const run = jest.spyOn(WorkThread.prototype, 'run').mockRejectedValueOnce(new ThreadStopped(why, step));
      const mjml = '<mjml><mj-body></mj-body></mjml>';
      await expect(compiler.check(mjml, 'html')).rejects.toMatchObject({ retryable: true });
      run.mockRestore();
      expect(await compiler.check(mjml, 'html')).toEqual([]);
    },
  );

  it('is done here for no more at a time than takes a moment', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => `{{ name }}${n}${'x'.repeat(10_000)}`);
    expect((await Promise.all(texts.map((text) => compiler.check(text, 'html')))).flat()).toEqual([]);
    const first = here.mock.calls.length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(10);
    await turn();
    await compiler.check('{{ next }}', 'html');
    expect(here).toHaveBeenCalledTimes(first + 1);
  });
});
