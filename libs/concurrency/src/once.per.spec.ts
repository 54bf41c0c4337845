import { OncePer } from './once.per';

describe('a text that is to be told once in an interval', () => {
  let now = 1_000;
  const once = () => new OncePer(100, () => now);
  beforeEach(() => (now = 1_000));

  it('passes, and again when the interval is over', () => {
    const lines = once();
    const passed = [0, 1, 98, 1, 99, 1].map((ms) => ((now += ms), lines.passes('away')));
    expect(passed).toEqual([true, false, false, true, false, true]);
  });

  it('passes whatever others did', () => {
    const lines = once();
    expect(['a', 'b', 'a', 'b'].map((text) => lines.passes(text))).toEqual([true, true, false, false]);
  });

  it('may have another interval in one case', () => {
    const lines = once();
    const passed = [100, 50, 40].map((interval) => ((now += 45), lines.passes('away', interval)));
    expect(passed).toEqual([true, false, true]);
  });

  it('passes again if the clock was set back', () => {
    const lines = once();
    lines.passes('away');
    now = 0;
    expect(lines.passes('away')).toBe(true);
    expect(lines.passes('away')).toBe(false);
  });

  it('passes again once the fault is over', () => {
    const lines = once();
    expect(lines.hasPassed).toBe(false);
    lines.passes('away');
    expect(lines.hasPassed).toBe(true);
    lines.clear();
    expect(lines.hasPassed).toBe(false);
    expect(lines.passes('away')).toBe(true);
  });

  it('takes little memory, however many texts there are', () => {
    const lines = once();
    for (let n = 0; n < 100; n += 1) lines.passes(`${n}`);
    expect(lines.passes('99')).toBe(false);
    lines.passes('another');
    expect([lines.passes('99'), lines.passes('another')]).toEqual([true, false]);
  });
});
