import files from 'node:fs/promises';
import { readRange, Segment } from './segment';
import type { SegmentHeader } from './segment.header';

const MIB = 1024 * 1024;
const START = 100;
const header = { base: [2, 2] } as SegmentHeader;

describe('a segment', () => {
  it('finds the last place before which none of the requested positions lies', () => {
    const segment = new Segment('file', header, START, 4 * MIB);
    // Callers of `addMark` advance the same array afterwards.
    const next = [5, 3];
    segment.addMark(START + MIB, next);
    next[0] = 6;
    segment.addMark(START + MIB + 10, next);
    next[0] = 9;
    segment.addMark(START + 2 * MIB, next);
    next[0] = 10;
    const placeOf = (...positions: number[]) => segment.markBefore(positions).at - START;
    expect([placeOf(0, 0), placeOf(4, 9), placeOf(9, 2)]).toEqual([0, 0, 0]);
    expect([placeOf(5, 3), placeOf(8, 7)]).toEqual([MIB, MIB]);
    expect(segment.markBefore([9, 3])).toEqual({ at: START + 2 * MIB, next: [9, 3] });
  });

  it('has its file closed after a read', async () => {
    const opened = jest.spyOn(files, 'open');
    await readRange(__filename, 0, 10);
    const file = await (opened.mock.results[0]!.value as ReturnType<typeof files.open>);
    opened.mockRestore();
    expect(file.fd).toBe(-1);
  });
});
