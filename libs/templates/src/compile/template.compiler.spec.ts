import * as template from '../liquid.template';
import { ThreadStopped, WorkThread } from '../threads/work.thread';
import { TemplateCompiler } from './template.compiler';

jest.mock('../liquid.template', () => {
  const actual = jest.requireActual<typeof template>('../liquid.template');
  return { ...actual, parseTemplate: jest.fn(actual.parseTemplate) };
});

const parseHere = jest.mocked(template.parseTemplate);
const nextTurn = () => new Promise(setImmediate);

describe('checking templates', () => {
  let compiler: TemplateCompiler;
  beforeEach(() => {
    compiler = new TemplateCompiler();
    parseHere.mockClear();
  });
  afterEach(() => compiler.close());

  it('happens on the main thread for small ones, once each', async () => {
    expect(await compiler.check('a', 'Dear {{ name }}', 'html')).toEqual([]);
    expect(await compiler.check('a', 'Dear {{ name }}', 'html')).toEqual([]);
    expect(await compiler.check('a', 'Dear {{ name | nope }}', 'subject')).toHaveLength(1);
    expect(parseHere).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['tags', '{{ name }} '.repeat(300)],
    ['text around a tag', `{{ name }}${'x'.repeat(100_000)}`],
  ])('happens in a worker thread for long ones (%s), with the same results', async (_what, text) => {
    expect(await compiler.check('a', text, 'html')).toEqual([]);
    expect(await compiler.check('a', `${text}\n{{ name | nope }}`, 'html')).toMatchObject([{ line: 2, column: 1 }]);
    expect(parseHere).not.toHaveBeenCalled();
  });

  it('happens once for all that fit into the largest body, so that a retry goes on where the first call stopped', async () => {
    const run = jest.spyOn(WorkThread.prototype, 'run').mockResolvedValue({ faults: [] });
    const texts = Array.from({ length: 30 }, (_, n) => `{{ name }}${n}${'x'.repeat(1024 * 1024 - 100)}`);
    for (const text of [...texts, ...texts]) expect(await compiler.check('a', text, 'text')).toEqual([]);
    expect(run).toHaveBeenCalledTimes(texts.length);
    run.mockRestore();
  });

  it('happens once for MJML, too, whose html is kept for those that compile it after the check', async () => {
    const run = jest.spyOn(WorkThread.prototype, 'run');
    run.mockImplementation((task) => Promise.resolve({ html: (task as { mjml: string }).mjml }));
    const texts = Array.from({ length: 30 }, (_, n) => `<mjml>${n}${'x'.repeat(1024 * 1024 - 100)}`);
    for (const text of texts) expect(await compiler.check('a', text, 'html')).toEqual([]);
    for (const text of texts) expect(await compiler.compile('a', text)).toEqual({ html: text });
    expect(run).toHaveBeenCalledTimes(texts.length);
    run.mockRestore();
  });

  it('is unavailable, and done for nobody, once others have taken too long', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const texts = [1, 2, 3].map((n) => `{{ name }}${'x'.repeat(100_000)}${n}`);
    const checked = Promise.allSettled(texts.map((text) => compiler.check('a', text, 'html')));
    now = 10_001;
    const outcomes = await checked;
    clock.mockRestore();
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'thread_busy', retryable: true } });
    expect(await compiler.check('a', texts[1]!, 'html')).toEqual([]);
  });

  it('of one account waits for the template of another that is being checked, at most', async () => {
    const order: string[] = [];
    const check = (account: string, size: number) =>
      compiler.check(account, `{{ name }}${'x'.repeat(size)}`, 'html').then(() => order.push(account));
    await Promise.all([...[1, 2, 3, 4].map((n) => check('many', 100_000 + n)), check('one', 900_000)]);
    expect(order).toEqual(['many', 'one', 'many', 'many', 'many']);
  });

  it('is refused for now if too much of its account waits already', async () => {
    const texts = Array.from({ length: 18 }, (_, n) => `{{ name }}${'x'.repeat(1024 * 1024 - 100)}${n}`);
    const outcomes = await Promise.allSettled(texts.map((text) => compiler.check('a', text, 'text')));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'thread_busy', retryable: true } });
  });

  it('is repeated after a timeout: the machine may have been busy', async () => {
    const run = jest.spyOn(WorkThread.prototype, 'run').mockRejectedValueOnce(new ThreadStopped('time', 0));
    const mjml = '<mjml><mj-body></mj-body></mjml>';
    expect(await compiler.compile('a', mjml)).toMatchObject({
      faults: [{ detail: expect.stringContaining('longer') }],
    });
    expect(await compiler.compile('a', mjml)).toHaveProperty('html');
    expect(await compiler.compile('a', mjml)).toHaveProperty('html');
    expect(run).toHaveBeenCalledTimes(2);
    run.mockRestore();
  });

  it.each([
    ['time', -1],
    ['exit', 0],
  ] as const)('rejects when a thread ended (%s, at step %i) through no fault of the template', async (why, step) => {
    const run = jest.spyOn(WorkThread.prototype, 'run').mockRejectedValueOnce(new ThreadStopped(why, step));
    const mjml = '<mjml><mj-body></mj-body></mjml>';
    await expect(compiler.check('a', mjml, 'html')).rejects.toMatchObject({ retryable: true });
    run.mockRestore();
    expect(await compiler.check('a', mjml, 'html')).toEqual([]);
  });

  it('happens on the main thread only for a limited amount per turn', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => `{{ name }}${n}${'x'.repeat(10_000)}`);
    expect((await Promise.all(texts.map((text) => compiler.check('a', text, 'html')))).flat()).toEqual([]);
    const first = parseHere.mock.calls.length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(10);
    await nextTurn();
    await compiler.check('a', '{{ next }}', 'html');
    expect(parseHere).toHaveBeenCalledTimes(first + 1);
  });
});
