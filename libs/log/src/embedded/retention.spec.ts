import { droppable } from './retention';

const segments = [
  { number: 4, base: [0, 0], created: 100 },
  { number: 5, base: [10, 10], created: 200 },
  { number: 6, base: [20, 15], created: 300 },
];

describe('droppable', () => {
  it('never includes the last segment', () => {
    expect(droppable([segments[2]!], Infinity, [], [])).toBe(0);
    expect(droppable(segments, Infinity, [], [])).toBe(2);
  });

  it('excludes segments that may hold a younger record', () => {
    expect(droppable(segments, 199, [], [])).toBe(0);
    expect(droppable(segments, 200, [], [])).toBe(1);
    expect(droppable(segments, 300, [], [])).toBe(2);
  });

  it('excludes segments that a group has yet to read', () => {
    expect(droppable(segments, Infinity, [[20, 14]], [])).toBe(1);
    expect(droppable(segments, Infinity, [[20, 15]], [])).toBe(2);
    expect(droppable(segments, Infinity, [[20, 15], [9, 20]], [])).toBe(0); // prettier-ignore
    expect(droppable(segments, Infinity, [[]], [])).toBe(0);
  });

  it('excludes segments that are being read', () => {
    expect(droppable(segments, Infinity, [], [6, 5])).toBe(1);
    expect(droppable(segments, Infinity, [], [4])).toBe(0);
  });
});
