import { BoundedEmitter, LimitPassed, RENDER_LIMITS, RenderBudget } from './liquid.limits';

describe('what a message may use up', () => {
  it('is counted of numbers alone: whatever else a filter reckons with lifts no limit, and gives nothing back', () => {
    const { memory } = new RenderBudget({ ...RENDER_LIMITS, memory: 10 }, 0);
    for (const amount of [4, Number.NaN, undefined, 'x', -7, 6]) memory.use(amount);
    expect(() => memory.use(1)).toThrow(LimitPassed);
  });

  it('is no more output than fits, of one piece or of many', () => {
    const emitter = new BoundedEmitter(5, (value) => value);
    expect(() => emitter.write('123456')).toThrow(LimitPassed);
    emitter.write('12345');
    expect(() => emitter.write('6')).toThrow(LimitPassed);
    expect(emitter.buffer).toBe('12345');
  });
});
