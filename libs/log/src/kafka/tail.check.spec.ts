import { setImmediate as turn } from 'node:timers/promises';
import type { LogRecord } from '../log.port';
import { Lines } from '../testing/outcome.app';
import { noteOf, noteText, type Commit } from './commit.note';
import { TailCheck } from './tail.check';

const recordOf = (position: number, id: string | undefined, appendedAt = 1_000_000) =>
  ({ position, headers: id === undefined ? {} : { ce_id: id }, appendedAt }) as unknown as LogRecord;

const commitAfter = (position: number, id: string, epoch = 1): Commit => {
  return { offset: position + 1, metadata: noteText(recordOf(position, id), position + 1, epoch)! };
};

describe('the note beside a committed position', () => {
  it('is read as it was written', () => {
    expect(noteOf(commitAfter(4, 'e'))).toEqual({ next: 5, position: 4, id: 'e', at: 1_000_000, epoch: 1 });
  });

  it('is not written for a record without an id, nor longer than brokers take', () => {
    expect(noteText(recordOf(4, undefined), 5)).toBeUndefined();
    expect(noteText(recordOf(4, 'e'.repeat(5_000)), 5)).toBeUndefined();
  });

  it.each([null, '', 'text', '{', '{}', '{"next":5,"position":4}', noteText(recordOf(4, 'e'), 7)!])(
    'is none if it is of an older version, a tool or another cluster: %s',
    (metadata) => expect(noteOf({ offset: 5, metadata })).toBeUndefined(),
  );
});

describe('a check of what lies before the committed positions', () => {
  let commits: Map<number, Commit>;
  let found: Map<number, LogRecord>;
  let asked: number[][];
  let faults: number;
  let sought: string[];
  let times: number[];
  let lines: Lines;
  let at: number;

  beforeEach(() => {
    [commits, found, asked, faults, sought, times, lines, at] = [new Map(), new Map(), [], 0, [], [], new Lines(), 2];
  });
  afterEach(() => jest.useRealTimers());

  const newCheck = () =>
    new TailCheck({
      topic: 't',
      group: 'g',
      lines,
      source: {
        commits: () => (faults-- > 0 ? Promise.reject(new Error('away')) : Promise.resolve(commits)),
        recordsAt: (positions) => (asked.push([...positions.values()]), Promise.resolve(found)),
        positionsAt: (time) => (times.push(time), Promise.resolve(new Map([[0, at]]))),
      },
      seek: (partition, position) => void sought.push(`${partition}@${position}`),
    });

  it('finds another record there, and reads again from five minutes before the one that was lost', async () => {
    const tails = newCheck();
    [commits, found] = [new Map([[0, commitAfter(4, 'lost')]]), new Map([[0, recordOf(4, 'new')]])];
    tails.joined([0, 1]);
    expect(tails.isDue).toBe(true);
    await tails.check();
    expect([tails.isDue, sought, times, asked]).toEqual([false, ['0@2'], [700_000], [[4]]]);
    const fields = { topic: 't', group: 'g', partition: 0, position: 4, committed: 5, was: 'lost', is: 'new', from: 2 };
    expect(lines.lines).toMatchObject([{ level: 'error', fields }]);
    // What is read again was appended by leaders of before.
    tails.fetched(0, 0);
    expect(tails.isDue).toBe(false);
  });

  it('looks again at a partition that was lost and came back while it was looked at', async () => {
    const tails = newCheck();
    [commits, found] = [new Map([[0, commitAfter(4, 'e')]]), new Map([[0, recordOf(4, 'e')]])];
    tails.joined([0]);
    tails.joined([0]);
    await tails.check();
    expect([tails.isDue, asked]).toEqual([false, [[4], [4]]]);
  });

  it('reads everything that is kept again if a clock was set back by more', async () => {
    at = 5;
    [commits, found] = [new Map([[0, commitAfter(4, 'lost')]]), new Map([[0, recordOf(4, 'new')]])];
    const tails = newCheck();
    tails.joined([0]);
    await tails.check();
    expect(sought).toEqual(['0@0']);
  });

  it.each([
    ['the same record is there', () => found.set(0, recordOf(4, 'e'))],
    ['it was removed by retention or compaction', () => found.set(0, recordOf(6, 'later'))],
    ['nothing is there', () => found.clear()],
    ['an older version has committed', () => commits.set(0, { offset: 5, metadata: null })],
    ['nothing is committed', () => commits.clear()],
  ])('goes on if %s', async (_why, prepare) => {
    commits.set(0, commitAfter(4, 'e'));
    prepare();
    const tails = newCheck();
    tails.joined([0]);
    await tails.check();
    expect([sought, lines.lines, tails.isDue]).toEqual([[], [], false]);
  });

  it('is due again once records of another leader are fetched, and not for each batch', async () => {
    [commits, found] = [new Map([[0, commitAfter(4, 'e')]]), new Map([[0, recordOf(4, 'e')]])];
    const tails = newCheck();
    tails.joined([0]);
    await tails.check();
    tails.fetched(0, 1);
    tails.fetched(0, undefined);
    expect(tails.isDue).toBe(false);
    tails.fetched(0, 2);
    expect(tails.isDue).toBe(true);
    await tails.check();
    tails.fetched(0, 2);
    expect([tails.isDue, asked]).toEqual([false, [[4], [4]]]);
  });

  it('does not move a partition that went to another member meanwhile', async () => {
    [commits, found] = [new Map([[0, commitAfter(4, 'lost')]]), new Map([[0, recordOf(4, 'new')]])];
    const tails = newCheck();
    tails.joined([0]);
    tails.joined([1]);
    await tails.check();
    expect(sought).toEqual([]);
  });

  it('asks again while the brokers are away, and lets the group go on if they cannot tell', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    [commits, found] = [new Map([[0, commitAfter(4, 'lost')]]), new Map([[0, recordOf(4, 'new')]])];
    faults = 3;
    const tails = newCheck();
    tails.joined([0]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(sought).toEqual(['0@2']);
    faults = 99;
    tails.joined([0]);
    await jest.advanceTimersByTimeAsync(10_000);
    await turn();
    expect([tails.isDue, lines.lines.at(-1)]).toMatchObject([false, { level: 'warn', fields: { group: 'g' } }]);
  });
});
