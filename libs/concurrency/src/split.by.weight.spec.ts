import fc from 'fast-check';
import { splitByWeight } from './split.by.weight';

const split = (weights: number[], maxWeight: number) => splitByWeight(weights, (weight) => weight, maxWeight);

describe('splitByWeight', () => {
  it('begins a group where the next item would be too much', () => {
    expect(split([4, 3, 3, 1, 9], 10)).toEqual([
      [4, 3, 3],
      [1, 9],
    ]);
    expect(split([], 10)).toEqual([]);
  });

  it('gives an item that is too heavy a group of its own', () => {
    expect(split([1, 11, 2, 3], 10)).toEqual([[1], [11], [2, 3]]);
    expect(split([11, 11], 10)).toEqual([[11], [11]]);
  });

  it('loses none, keeps their order, and makes no group that would have fitted into the one before', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (weights) => {
        const groups = split(weights, 10);
        const sum = (group: number[]) => group.reduce((all, weight) => all + weight, 0);
        expect(groups.flat()).toEqual(weights);
        for (const [at, group] of groups.entries()) {
          expect(group.length === 1 || sum(group) <= 10).toBe(true);
          if (at > 0) expect(sum(groups[at - 1]!) + group[0]!).toBeGreaterThan(10);
        }
      }),
    );
  });
});
