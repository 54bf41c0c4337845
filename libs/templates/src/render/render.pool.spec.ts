import fc from 'fast-check';
import { RENDER_LIMITS } from '../liquid.limits';
import { WorkThread } from '../threads/work.thread';
import type { RenderJob } from './render.job';
import { RenderPool, type RenderPoolOptions } from './render.pool';
import { packJobs, unpackJobs } from './render.task';
import { SlowTemplates } from './slow.templates';

function job(subject: string, profile: object = {}): RenderJob {
  return { subject, now: 0, data: { profile, contact: {}, campaign: {}, message: {} } };
}

/** Sorting cannot be interrupted, so Liquid's limits do not apply. */
const HANGING_TEMPLATE = '{% assign a = (1..4000000) | sort_natural %}';
/** Within Liquid's limits, but more than the heap of the test's thread. */
const MEMORY_EATER = '{% assign a = (1..9900000) %}';

describe('packed jobs', () => {
  it('unpack to what was packed, with each source stored once', () => {
    const profile = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor')), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', ''), profile)), (list) => {
        const jobs = list.map(([subject, data]) => ({ ...job(subject, data), html: 'a' }));
        const task = packJobs(jobs, RENDER_LIMITS);
        expect(task.sources.length).toBe(new Set(task.sources).size);
        const plainly = (some: RenderJob[]) => some.map((one) => [one.subject, one.html, JSON.stringify(one.data)]);
        expect(plainly(unpackJobs(task))).toEqual(plainly(jobs));
      }),
    );
  });
});

describe('the render pool', () => {
  let pool: RenderPool;
  const open = (options: Partial<RenderPoolOptions>) => (pool = new RenderPool({ threads: 1, ...options }));
  afterEach(() => pool.close());

  it('fails only the message that hangs, at any position', async () => {
    open({ limits: { ...RENDER_LIMITS, messageMs: 50 } });
    const outcomes = await pool.render([
      job('{{ n }}', { n: 1 }),
      job(HANGING_TEMPLATE),
      job('{{ n }}', { n: 2 }),
      job('last'),
    ]);
    expect(outcomes).toMatchObject([
      { subject: '1' },
      { code: 'render_limit', detail: 'rendering takes too long' },
      { subject: '2' },
      { subject: 'last' },
    ]);
  });

  it('fails only the message that uses up the memory', async () => {
    // On a busy machine, filling the heap takes longer than a message may take.
    open({ heapMb: 32, limits: { ...RENDER_LIMITS, messageMs: 60_000 } });
    const outcomes = await pool.render([job('a'), job('{{ n }}', { n: 'b' }), job(MEMORY_EATER)]);
    expect(outcomes).toMatchObject([
      { subject: 'a' },
      { subject: 'b' },
      { code: 'render_limit', detail: 'rendering takes too much memory' },
    ]);
    expect(await pool.render([job('again')])).toMatchObject([{ subject: 'again' }]);
  });

  it('refuses a template that stopped three threads, to spare other messages', async () => {
    open({ limits: { ...RENDER_LIMITS, messageMs: 25 } });
    const hanging = Array.from({ length: 20 }, () => job(HANGING_TEMPLATE));
    const outcomes = await pool.render([job('first'), ...hanging, job('last')]);
    const details = outcomes.slice(1, -1).map((outcome) => 'detail' in outcome && outcome.detail);
    const refused = 'rendering takes too long or too much memory, as it did for earlier messages';
    expect(details).toEqual([...Array<string>(2).fill('rendering takes too long'), ...Array<string>(18).fill(refused)]);
    expect([outcomes[0], outcomes.at(-1)]).toEqual([{ subject: 'first' }, { subject: 'last' }]);
  });

  it('renders a message again that ran out of time once: the machine may have stood still', async () => {
    open({});
    const stalled = { code: 'render_limit', detail: 'rendering takes longer than 250 ms', outOfTime: true } as const;
    const run = jest.spyOn(WorkThread.prototype, 'run').mockResolvedValueOnce([{ subject: 'a' }, stalled]);
    expect(await pool.render([job('a'), job('b'), job('c')])).toEqual([
      { subject: 'a' },
      { subject: 'b' },
      { subject: 'c' },
    ]);
    run.mockResolvedValueOnce([stalled]);
    expect(await pool.render([job('d')])).toEqual([{ subject: 'd' }]);
    run.mockRestore();
  });

  it('gives messages of a slow template ever less time, and all of it again after one in time', async () => {
    open({ limits: { ...RENDER_LIMITS, messageMs: 640 } });
    const loop = '{% for i in (1..n) %}{% for j in (1..9999) %}{% endfor %}{% endfor %}';
    const template = loop.replace('n)', 'profile.n)');
    const given = async (jobs: RenderJob[]) =>
      (await pool.render(jobs)).map((outcome) =>
        'detail' in outcome ? Number(/(\d+) ms/.exec(outcome.detail)?.[1]) : 'sent',
      );
    const rendered = jest.spyOn(SlowTemplates.prototype, 'noteRendered');
    const counts = [9999, 9999, 9999, 9999, 9999, 9999, 0, 9999];
    expect(await given([job('another'), ...counts.map((n) => job(template, { n }))])).toEqual([
      'sent',
      640,
      320,
      160,
      80,
      40,
      40,
      'sent',
      640,
    ]);
    expect(await given([job('another'), job(template, { n: 9999 })])).toEqual(['sent', 320]);
    expect(rendered.mock.calls.map(([{ subject }]) => subject)).toEqual(['another', template, 'another']);
    rendered.mockRestore();
  });

  it('gives messages of a campaign ever less time when its templates are slow and all different', async () => {
    open({ limits: { ...RENDER_LIMITS, messageMs: 320 } });
    const loop = '{% for i in (1..9999) %}{% for j in (1..9999) %}{% endfor %}{% endfor %}';
    const of = (campaign: string, subject: string) => ({ ...job(subject), campaign });
    const slow = Array.from({ length: 5 }, (_, n) => of('slow', `${n}${loop}`));
    const outcomes = await pool.render([...slow, of('quick', 'a'), of('slow', 'b'), of('slow', `again${loop}`)]);
    const given = outcomes.map((outcome) =>
      'detail' in outcome ? Number(/(\d+) ms/.exec(outcome.detail)?.[1]) : outcome.subject,
    );
    expect(given).toEqual([320, 160, 80, 40, 20, 'a', 'b', 320]);
  });

  it('keeps messages apart and in order over many slices', async () => {
    open({ threads: 2 });
    const jobs = Array.from({ length: 130 }, (_, n) => job('{{ n }} {{ x }}', { n, x: '{{7*7}}' }));
    const outcomes = await pool.renderEach(jobs, (outcome, index) => Promise.resolve({ index, outcome }));
    expect(outcomes).toEqual(jobs.map((_, index) => ({ index, outcome: { subject: `${index} {{7*7}}` } })));
  });

  it('lets others take their turn while many messages of a costly template are rendered', async () => {
    open({ limits: { ...RENDER_LIMITS, messageMs: 60_000 } });
    const costly = '{% for i in (1..99999) %}{% endfor %}done';
    const answered: string[] = [];
    const answer = async (name: string, jobs: RenderJob[]) => {
      const outcomes = await pool.render(jobs);
      answered.push(name);
      return outcomes;
    };
    const newsletters = answer(
      'newsletters',
      Array.from({ length: 20 }, () => job(costly)),
    );
    await answer('code', [job('code')]);
    expect(await newsletters).toEqual(Array(20).fill({ subject: 'done' }));
    expect(answered).toEqual(['code', 'newsletters']);
  });

  it('limits the number of large outcomes in progress, and keeps them in order', async () => {
    open({});
    let [inHand, most] = [0, 0];
    const jobs = Array.from({ length: 12 }, (_, n) => ({ ...job('{{ n }}', { n }), text: 'x'.repeat(2_000_000) }));
    const subjects = await pool.renderEach(jobs, async (outcome, index) => {
      most = Math.max(most, (inHand += 1));
      await new Promise(setImmediate);
      inHand -= 1;
      return `${index}: ${'subject' in outcome ? outcome.subject : outcome.detail}`;
    });
    expect(subjects).toEqual(jobs.map((_, n) => `${n}: ${n}`));
    expect(most).toBeLessThanOrEqual(5);
  });

  it('exposes nothing of this process to a template', async () => {
    process.env.LETTERMILL_CANARY = 'canary-5d1c';
    open({});
    const probes = [
      '{{ process.env }}',
      '{{ env.LETTERMILL_CANARY }}',
      '{{ global }}',
      '{{ this.constructor }}',
      '{{ require }}',
    ];
    const outcomes = await pool.render(probes.map((probe) => job(probe)));
    delete process.env.LETTERMILL_CANARY;
    expect(outcomes).toEqual(probes.map(() => ({ subject: '' })));
  });

  it('returns nothing for an empty batch, and refuses work once it is closed', async () => {
    open({});
    expect(await pool.render([])).toEqual([]);
    await pool.close();
    await expect(pool.render([job('a')])).rejects.toMatchObject({ retryable: true });
  });
});
