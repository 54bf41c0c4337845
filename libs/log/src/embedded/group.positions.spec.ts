import { readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { FailingDisk, LogWorkspace } from '../testing/disk';
import { until } from '../testing/inbox';
import { SILENT_LOGGER } from '../log.lines';
import type { LogFailed } from '../log.port';
import { GroupPositions } from './group.positions';

describe('positions of consumer groups', () => {
  const workshop = new LogWorkspace();
  const disk = new FailingDisk();
  const failures: LogFailed[] = [];
  beforeEach(() => workshop.begin());
  afterEach(() => workshop.end());

  const open = () =>
    GroupPositions.open({
      path: join(workshop.directory, 'positions.seg'),
      openFile: disk.open,
      lines: SILENT_LOGGER,
      now: Date.now,
      onFailed: (error) => void failures.push(error),
    });

  it('are kept per group and topic, the last of each', async () => {
    const positions = await open();
    for (const at of [1, 2]) for (const topic of ['t', 'u']) positions.commit('g', topic, [at, 0]);
    positions.commit('h', 't', [9]);
    await positions.close(new Map([['t', [7, 7]]]));
    const again = await open();
    expect([
      again.positionsOf('g', 't'),
      again.positionsOf('g', 'u'),
      again.positionsOf('h', 't'),
      again.positionsOf('h', 'u'),
    ]).toEqual([[2, 0], [2, 0], [9], undefined]);
    expect(again.cleanEndOf('t')).toEqual([7, 7]);
    await again.close(new Map());
  });

  it('do not include the ends of topics at the last close, which hold back no retention', async () => {
    const positions = await open();
    positions.commit('g', 't', [1]);
    await positions.close(new Map([['t', [7]]]));
    const again = await open();
    expect(again.groupsOf('t')).toEqual([{ group: 'g', topic: 't', positions: [1] }]);
    await again.close(new Map());
  });

  it('are rewritten after a crash tore the last write: another crash would make that look like damage', async () => {
    const positions = await open();
    positions.commit('g', 't', [1]);
    positions.commit('g', 'u', [1]);
    await positions.close(new Map());
    const path = join(workshop.directory, 'positions.seg');
    await truncate(path, (await stat(path)).size - 1);
    const again = await open();
    expect([again.positionsOf('g', 't'), again.positionsOf('g', 'u')]).toEqual([[1], undefined]);
    const torn = await readFile(path);
    again.commit('g', 'u', [2]);
    await again.close(new Map());
    expect((await readFile(path)).subarray(0, torn.length).equals(torn)).toBe(false);
    const last = await open();
    expect([last.positionsOf('g', 't'), last.positionsOf('g', 'u')]).toEqual([[1], [2]]);
    await last.close(new Map());
  });

  it.each([
    ['rewritten when little of a large file is still needed', ['a', 'a', 'a', 'a', 'a', 'a']],
    ['not rewritten while most of it is needed: every commit would pay for that', ['a', 'b', 'c', 'd', 'e']],
  ])('are %s', async (_name, groups) => {
    const path = join(workshop.directory, 'positions.seg');
    const positions = await open();
    const { ino } = await stat(path);
    for (const [at, group] of groups.entries()) {
      const { writev } = disk.done;
      positions.commit(group + 'g'.repeat(250_000), 't', [at]);
      await until(() => disk.done.writev > writev);
    }
    await positions.close(new Map());
    expect((await stat(path)).ino === ino).toBe(new Set(groups).size > 1);
    const again = await open();
    expect(again.groupsOf('t').map(({ positions: [at] }) => at)).toHaveLength(new Set(groups).size);
    expect(again.positionsOf(groups.at(-1)! + 'g'.repeat(250_000), 't')).toEqual([groups.length - 1]);
    await again.close(new Map());
  });

  it('hold back retention by what is on disk: after a crash, nothing that a group then reads again may be gone', async () => {
    const positions = await open();
    const held = () => positions.writtenPositionsOf('t');
    positions.commit('g', 't', [1]);
    expect(held()).toEqual([[]]);
    await positions.written();
    expect(held()).toEqual([[1]]);
    disk.faults = { writev: 'ENOSPC' };
    positions.commit('g', 't', [2]);
    await positions.written();
    expect(held()).toEqual([[1]]);
    disk.faults = {};
    await positions.close(new Map());
    const again = await open();
    expect(again.writtenPositionsOf('t')).toEqual([[1]]);
    await again.close(new Map());
  });

  it('end the log when they cannot be written, unless the disk is full', async () => {
    const positions = await open();
    disk.faults = { writev: 'ENOSPC' };
    positions.commit('g', 't', [1]);
    await positions.close(new Map());
    expect(failures).toEqual([]);
    disk.faults = {};
    const again = await open();
    expect(again.positionsOf('g', 't')).toBeUndefined();
    disk.faults = { datasync: 'EIO' };
    again.commit('g', 't', [1]);
    await until(() => failures.length > 0);
    expect(failures).toMatchObject([{ code: 'log_failed' }]);
    disk.faults = {};
    await again.close(new Map());
  });
});
