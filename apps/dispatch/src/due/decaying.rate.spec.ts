import { DecayingRate } from './decaying.rate';

const START = 1_800_000_000_000;

describe('a decaying rate', () => {
  it('is how many a second there were lately', () => {
    const rate = new DecayingRate(1_000);
    for (let ms = 0; ms < 10_000; ms += 50) rate.add(START + ms);
    expect(rate.value(START + 10_000)).toBeCloseTo(20, -0.5);
    expect(rate.value(START + 20_000)).toBeLessThan(0.01);
  });

  it('counts as many over a longer time', () => {
    const rate = new DecayingRate(60_000);
    for (let count = 0; count < 120; count += 1) rate.add(START);
    expect(rate.value(START)).toBeCloseTo(2);
  });

  it('does not grow when the clock is set back', () => {
    const rate = new DecayingRate(1_000);
    rate.add(START);
    expect(rate.value(START - 3_600_000)).toBe(rate.value(START));
  });
});
