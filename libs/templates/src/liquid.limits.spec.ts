import { BoundedEmitter, LimitExceeded, RENDER_LIMITS, RenderBudget } from './liquid.limits';

describe('the limits of a rendering', () => {
  it('are 250 ms for a message and 2 MiB for each of its texts', () => {
    const { time, outputBytes } = new RenderBudget(RENDER_LIMITS, 1_000);
    time.check(1_250);
    expect(() => time.check(1_250.1)).toThrow(LimitExceeded);
    expect(outputBytes).toBe(2_097_152);
  });

  it('count only positive numbers: other amounts neither lift a limit nor give anything back', () => {
    const { memory } = new RenderBudget({ ...RENDER_LIMITS, memory: 10 }, 0);
    for (const amount of [4, Number.NaN, undefined, 'x', -7, 6]) memory.use(amount);
    expect(() => memory.use(1)).toThrow(LimitExceeded);
  });

  it('stop output that exceeds them, in one piece or in many', () => {
    const emitter = new BoundedEmitter(5, (value) => value);
    expect(() => emitter.write('123456')).toThrow(LimitExceeded);
    emitter.write('12345');
    expect(() => emitter.write('6')).toThrow(LimitExceeded);
    expect(emitter.buffer).toBe('12345');
  });
});
