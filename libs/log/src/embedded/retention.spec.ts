import { creationTimes, droppableCount } from './retention';

const segments = [
  { number: 4, base: [0, 0], created: 100 },
  { number: 5, base: [10, 10], created: 200 },
  { number: 6, base: [20, 15], created: 300 },
];

describe('droppableCount', () => {
  it('never includes the last segment', () => {
    expect(droppableCount([segments[2]!], Infinity, [], [])).toBe(0);
    expect(droppableCount(segments, Infinity, [], [])).toBe(2);
  });

  it('excludes segments that may hold a younger record', () => {
    expect(droppableCount(segments, 199, [], [])).toBe(0);
    expect(droppableCount(segments, 200, [], [])).toBe(1);
    expect(droppableCount(segments, 300, [], [])).toBe(2);
  });

  it('excludes segments that a group has yet to read', () => {
    expect(droppableCount(segments, Infinity, [[20, 14]], [])).toBe(1);
    expect(droppableCount(segments, Infinity, [[20, 15]], [])).toBe(2);
    expect(droppableCount(segments, Infinity, [[20, 15], [9, 20]], [])).toBe(0); // prettier-ignore
    expect(droppableCount(segments, Infinity, [[]], [])).toBe(0);
  });

  it('excludes segments that are being read', () => {
    expect(droppableCount(segments, Infinity, [], [6, 5])).toBe(1);
    expect(droppableCount(segments, Infinity, [], [4])).toBe(0);
  });
});

describe('creationTimes', () => {
  const times = (now: number, ...created: number[]) => creationTimes(created, now);

  it('are those of the clock as long as it was right', () => {
    expect(times(300, 100, 200, 300)).toEqual([100, 200, 300]);
    expect(times(300)).toEqual([]);
  });

  it('are those of the next segment, or now, if the clock was ahead', () => {
    expect(times(300, 100, 900, 950, 200, 901)).toEqual([100, 200, 200, 200, 300]);
  });

  it('are not before those of earlier segments if the clock was behind', () => {
    expect(times(300, 100, 0, 200, 5)).toEqual([100, 100, 200, 200]);
  });
});
