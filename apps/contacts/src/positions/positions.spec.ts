import fc from 'fast-check';
import { partitionsAhead, furthestByPlace, StoreAheadOfLog, type AppliedPosition } from './positions';

const appliedAt = (partition: number, position: number): AppliedPosition => ({
  place: `${partition}`,
  position,
  eventId: `${partition}/${position}`,
});
const ends = (...all: number[]) => new Map(all.map((end, partition) => [`${partition}`, end]));

describe('the contacts store', () => {
  it('is ahead if the log ends before what was applied', () => {
    expect(partitionsAhead([appliedAt(0, 4), appliedAt(1, 9)], ends(5, 9))).toEqual([
      { topic: 'message-requested', partition: 1, applied: 9, end: 9 },
    ]);
    expect(partitionsAhead([appliedAt(0, 4)], ends(0))).toEqual([
      { topic: 'message-requested', partition: 0, applied: 4, end: 0 },
    ]);
  });

  it('is ahead of a log that lacks the partition', () => {
    expect(partitionsAhead([appliedAt(0, 4), appliedAt(7, 0)], ends(9))).toEqual([
      { topic: 'message-requested', partition: 7, applied: 0, end: 0 },
    ]);
  });

  it('is ahead in the topic of another priority, which is reported by its own name', () => {
    const high = { ...appliedAt(3, 4), place: 'message-requested-high/3' };
    const both = new Map([...ends(9, 9, 9, 9), [high.place, 4]]);
    expect(partitionsAhead([appliedAt(3, 4), high], both)).toEqual([
      { topic: 'message-requested-high', partition: 3, applied: 4, end: 4 },
    ]);
  });

  it('is not ahead in partitions from which nothing was applied, such as added ones', () => {
    expect(partitionsAhead([], ends(0, 0))).toEqual([]);
    expect(partitionsAhead([appliedAt(0, 4)], ends(5, 0, 12))).toEqual([]);
  });

  it('is ahead of another log that is as long', () => {
    const found = new Map([
      ['0', { position: 4, eventId: '0/4' }],
      ['1', { position: 4, eventId: 'of another log' }],
      ['2', { position: 4, eventId: undefined }],
    ]);
    const all = [appliedAt(0, 4), appliedAt(1, 4), appliedAt(2, 4)];
    expect(partitionsAhead(all, ends(9, 9, 9), found).map(({ partition }) => partition)).toEqual([1, 2]);
  });

  it('is not ahead if retention has removed what was applied last', () => {
    const found = new Map([['0', { position: 6, eventId: 'a later one' }]]);
    expect(partitionsAhead([appliedAt(0, 4), appliedAt(1, 4)], ends(9, 9), found)).toEqual([]);
  });

  it('is never ahead of the log that it has applied, and always of a shorter one', () => {
    const positions = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(positions, fc.nat(1000), fc.nat(11), (applied, more, cut) => {
        const furthest = applied.map((position, partition) => appliedAt(partition, position));
        const log = applied.map((position) => position + 1 + more);
        expect(partitionsAhead(furthest, ends(...log))).toEqual([]);
        const short = cut % applied.length;
        const shorter = log.with(short, applied[short]!);
        expect(partitionsAhead(furthest, ends(...shorter)).map(({ partition }) => partition)).toEqual([short]);
      }),
    );
  });

  it('has come as far as the furthest position of each partition', () => {
    expect(
      furthestByPlace([appliedAt(10, 2), appliedAt(1, 3), appliedAt(0, 1), appliedAt(1, 5), appliedAt(1, 4)]),
    ).toEqual([appliedAt(0, 1), appliedAt(1, 5), appliedAt(10, 2)]);
  });

  it('is reported as ahead with the partition, both positions and where to read what to do', () => {
    const error = new StoreAheadOfLog([
      { topic: 'message-requested', partition: 3, applied: 41, end: 12 },
      { topic: 'message-requested-high', partition: 4, applied: 6, end: 12 },
    ]);
    expect(error.code).toBe('store_ahead_of_log');
    expect(error.message).toContain(
      'partition 3 of message-requested was applied up to position 41, its log ends at 12',
    );
    expect(error.message).toContain(
      'partition 4 of message-requested-high was applied up to position 6, another record lies there',
    );
    expect(error.message).toContain('docs/backup.md');
  });
});
