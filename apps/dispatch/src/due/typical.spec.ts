import { typical } from './typical';

describe('the typical duration', () => {
  it('begins with the first one, and is never less than the least', () => {
    expect(typical(undefined, 300, 250, 1.1)).toBe(300);
    expect(typical(undefined, 3, 250, 1.1)).toBe(250);
    expect(typical(260, 3, 250, 1.1)).toBe(250);
    expect(typical(300, -5, 250, 1.1)).toBeCloseTo(300 / 1.1);
  });

  it('follows what most are, and not the few that are long', () => {
    const follow = (durations: number[]) => durations.reduce((usual, ms) => typical(usual, ms, 1, 1.1), durations[0]!);
    expect(follow(Array.from({ length: 1_000 }, (_, n) => (n % 4 === 3 ? 60_000 : 400 + (n % 3))))).toBeLessThan(500);
    expect(follow([400, ...Array<number>(60).fill(60_000)])).toBe(60_000);
    expect(follow([60_000, ...Array<number>(60).fill(400)])).toBe(400);
  });
});
