import files from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FailingDisk, LogWorkspace } from '../testing/disk';
import { Inbox } from '../testing/inbox';
import { countSegments, fill, TOPIC } from '../testing/segments';
import { SILENT_LOGGER } from '../log.lines';
import type { GroupPositions } from './group.positions';
import { RetentionSweeper } from './retention.sweeper';
import type { Topics } from './topics';

const DAY_MS = 86_400_000;
const workshop = new LogWorkspace();
beforeEach(() => workshop.begin());
afterEach(() => workshop.end());
const segmentsOf = () => countSegments(workshop);

describe('retention', () => {
  const thirtyDays = { days: 30, keepWhole: [] as string[] };

  it('removes whole segments that are old and read by every group', async () => {
    let now = Date.now();
    const log = await workshop.open({ segmentBytes: 1000, retention: thirtyDays, now: () => now });
    await fill(log, 0, 40);
    const before = await segmentsOf();
    const inbox = new Inbox();
    const reader = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await inbox.waitFor(40);
    await reader.close();
    await log.sweep();
    expect(await segmentsOf()).toBe(before);
    now += 31 * DAY_MS;
    await log.sweep();
    // The first sweep of a quiet topic ends its last segment, whose content is then old as well.
    await log.sweep();
    now += 31 * DAY_MS;
    await log.sweep();
    expect(await segmentsOf()).toBe(1);
    await fill(log, 40, 42);
    const late = new Inbox();
    await log.follow({ topics: [TOPIC], onBatch: late.take });
    expect(await late.waitFor(2)).toEqual(['40', '41']);
    const [first] = late.records;
    expect((await log.read(TOPIC, first!.partition, 0, 1))[0]).toMatchObject({ position: first!.position });
  });

  it.each([
    ['that is written on', 40],
    ['that is quiet from then on', 0],
  ])('removes what is old in a topic %s after the clock was a year ahead for a while', async (_, more) => {
    let now = Date.now();
    const log = await workshop.open({ segmentBytes: 1000, retention: thirtyDays, now: () => now });
    now += 365 * DAY_MS;
    await fill(log, 0, 40);
    now -= 364 * DAY_MS;
    await fill(log, 40, 40 + more);
    await log.sweep();
    now += 31 * DAY_MS;
    await log.sweep();
    now += 31 * DAY_MS;
    await log.sweep();
    expect(await segmentsOf()).toBe(1);
    const left = new Inbox();
    await log.follow({ topics: [TOPIC], onBatch: left.take });
    await fill(log, 100, 101);
    expect(await left.waitFor(1)).toEqual(['100']);
  });

  it('removes nothing young after the clock was years behind for a while', async () => {
    let now = Date.now();
    const log = await workshop.open({ segmentBytes: 1000, retention: thirtyDays, now: () => now });
    await fill(log, 0, 1);
    now -= 3650 * DAY_MS;
    await fill(log, 40, 80);
    await log.sweep();
    now += 3650 * DAY_MS;
    await log.sweep();
    const kept = new Inbox();
    await log.follow({ topics: [TOPIC], onBatch: kept.take });
    expect(await kept.waitFor(41)).toHaveLength(41);
  });

  it('later removes segments that could not be removed before', async () => {
    let now = Date.now();
    const log = await workshop.open({ segmentBytes: 1000, retention: thirtyDays, now: () => now });
    await fill(log, 0, 40);
    const before = await segmentsOf();
    now += 31 * DAY_MS;
    const unlink = jest.spyOn(files, 'unlink').mockRejectedValueOnce(new Error('injected EPERM'));
    await log.sweep();
    unlink.mockRestore();
    expect(await segmentsOf()).toBeGreaterThanOrEqual(before);
    const late = new Inbox();
    await log.follow({ topics: [TOPIC], onBatch: late.take });
    expect(await late.waitFor(40)).toHaveLength(40);
    now += 31 * DAY_MS;
    await log.sweep();
    await log.sweep();
    expect(await segmentsOf()).toBe(1);
  });

  it('makes room on a full volume, where no new segment can be created', async () => {
    let now = Date.now();
    const disk = new FailingDisk();
    const options = { segmentBytes: 1000, retention: thirtyDays, now: () => now, openFile: disk.open };
    const log = await workshop.open(options);
    await fill(log, 0, 40);
    expect(await segmentsOf()).toBeGreaterThan(2);
    now += 31 * DAY_MS;
    disk.faults = { writev: 'ENOSPC' };
    await log.sweep();
    expect(await segmentsOf()).toBe(1);
  });

  it('waits for the slowest group, even over a restart', async () => {
    let now = Date.now();
    const options = { segmentBytes: 1000, retention: thirtyDays, now: () => now };
    const log = await workshop.open(options);
    await fill(log, 0, 20);
    const slow = await log.subscribe({
      group: 'slow',
      topics: [TOPIC],
      onBatch: () => Promise.reject(new Error('later')),
    });
    await slow.close();
    const before = await segmentsOf();
    await log.close();
    now += 100 * DAY_MS;
    const again = await workshop.open(options);
    await again.sweep();
    expect(await segmentsOf()).toBeGreaterThanOrEqual(before);
    const inbox = new Inbox();
    await again.subscribe({ group: 'slow', topics: [TOPIC], onBatch: inbox.take });
    expect(await inbox.waitFor(20)).toHaveLength(20);
  });

  it('removes nothing at a start before the groups are there, whose positions may have been lost', async () => {
    let now = Date.now();
    const options = { segmentBytes: 1000, retention: thirtyDays, now: () => now };
    const log = await workshop.open(options);
    await fill(log, 0, 20);
    const before = await segmentsOf();
    await log.close();
    await files.rm(join(workshop.directory, 'positions.seg'));
    now += 31 * DAY_MS;
    const again = await workshop.open(options);
    expect(await segmentsOf()).toBe(before);
    const inbox = new Inbox();
    await again.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    expect(await inbox.waitFor(20)).toHaveLength(20);
  });

  it('removes a segment only after the removal of the older one is synced: a gap would be damage', async () => {
    let now = Date.now();
    const log = await workshop.open({ segmentBytes: 1000, retention: thirtyDays, now: () => now });
    await fill(log, 0, 40);
    const steps: string[] = [];
    const { open, unlink } = files;
    const unlinks = jest.spyOn(files, 'unlink').mockImplementation((path) => (steps.push('gone'), unlink(path)));
    const opens = jest.spyOn(files, 'open').mockImplementation((path, ...how) => {
      if (path === dirname(workshop.topicFile(TOPIC))) steps.push('synced');
      return open(path, ...how);
    });
    now += 31 * DAY_MS;
    await log.sweep();
    for (const spied of [unlinks, opens]) spied.mockRestore();
    const first = steps.indexOf('gone');
    expect(steps.slice(first, first + 4)).toEqual(['gone', 'synced', 'gone', 'synced']);
  });

  it.each([
    { days: 30, keepWhole: [TOPIC] },
    { days: 0, keepWhole: [] },
  ])('removes nothing of topics kept whole, nor of any topic without a limit: %j', async (retention) => {
    let now = Date.now();
    const log = await workshop.open({ segmentBytes: 1000, retention, now: () => now });
    await fill(log, 0, 40);
    const before = await segmentsOf();
    // A sweep of another topic would end the last of them and remove all before it.
    expect(before).toBeGreaterThan(2);
    now += 1000 * DAY_MS;
    await log.sweep();
    expect(await segmentsOf()).toBe(before);
  });

  it('runs by itself soon after the start and then every hour, until it is stopped', async () => {
    jest.useFakeTimers();
    const all = jest.fn(() => Promise.resolve([]));
    const topics = { all } as unknown as Topics;
    const positions = {} as GroupPositions;
    const sweeper = new RetentionSweeper({
      topics,
      positions,
      retention: thirtyDays,
      lines: SILENT_LOGGER,
      now: Date.now,
    });
    sweeper.start();
    await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(all).toHaveBeenCalledTimes(24);
    await sweeper.stop();
    await jest.advanceTimersByTimeAsync(DAY_MS);
    expect(all).toHaveBeenCalledTimes(24);
    jest.useRealTimers();
  });
});
