import files, { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inbox, textRecord, until } from '../testing/inbox';
import { FailingDisk, Workshop } from '../testing/disk';
import type { EmbeddedLog } from './embedded.log';
import { decodeHeader } from './segment.header';

const T = 'topic';
const text = (value: string, key = 'k') => textRecord(T, key, value);

async function valuesIn(log: EmbeddedLog): Promise<string[]> {
  const inbox = new Inbox();
  const follower = await log.follow({ topics: [T], onBatch: inbox.take });
  await follower.caughtUp(20_000);
  await follower.close();
  return inbox.values;
}

describe('embedded log after a crash', () => {
  const workshop = new Workshop();
  beforeEach(() => workshop.begin());
  afterEach(() => workshop.end());

  /** As a crash leaves it: no orderly close was noted. Answers the bytes of the topic. */
  async function crashed(write: (log: EmbeddedLog) => Promise<void>): Promise<Buffer> {
    const log = await workshop.open();
    await write(log);
    await log.close();
    await rm(join(workshop.directory, 'positions.seg'));
    return readFile(workshop.topicFile(T));
  }

  const damage = { code: 'log_damaged', retryable: false };

  it('keeps whole batches and takes new ones, wherever the last flush was torn', async () => {
    let lastFlush = 0;
    const bytes = await crashed(async (log) => {
      await log.append([text('a1'), text('a2', 'other')]);
      lastFlush = (await readFile(workshop.topicFile(T))).length;
      await Promise.all([log.append([text('b1'), text('b2')]), log.append([text('c')])]);
    });
    for (let cut = lastFlush; cut <= bytes.length; cut += 1) {
      await writeFile(workshop.topicFile(T), bytes.subarray(0, cut));
      const log = await workshop.open();
      const values = await valuesIn(log);
      expect([
        ['a1', 'a2'],
        ['a1', 'a2', 'b1', 'b2'],
        ['a1', 'a2', 'b1', 'b2', 'c'],
      ]).toContainEqual(values);
      await log.append([text('after')]);
      expect(await valuesIn(log)).toEqual([...values, 'after']);
      await log.close();
      await rm(join(workshop.directory, 'positions.seg'));
    }
  });

  it('cuts off zeros and the rest of another write', async () => {
    const bytes = await crashed((log) => log.append([text('a')]));
    for (const tail of [Buffer.alloc(5000), Buffer.alloc(5000, 0xff), bytes.subarray(0, 200)]) {
      await writeFile(workshop.topicFile(T), Buffer.concat([bytes, tail]));
      const log = await workshop.open();
      expect(await valuesIn(log)).toEqual(['a']);
      await log.close();
      expect(await readFile(workshop.topicFile(T))).toEqual(bytes);
      await rm(join(workshop.directory, 'positions.seg'));
    }
  });

  it('refuses damage before the last flush, and names the place', async () => {
    const bytes = await crashed(async (log) => {
      for (const value of ['a', 'b', 'c']) await log.append([text(value)]);
    });
    const { end: offset } = decodeHeader(bytes)!;
    bytes[offset + 50]! ^= 1;
    await writeFile(workshop.topicFile(T), bytes);
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, file: workshop.topicFile(T), offset });
  });

  it('refuses a damaged header', async () => {
    const bytes = await crashed((log) => log.append([text('a')]));
    bytes[20]! ^= 1;
    await writeFile(workshop.topicFile(T), bytes);
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, offset: 0 });
  });

  it('gives the directory back when it refused to open', async () => {
    const bytes = await crashed((log) => log.append([text('a')]));
    await writeFile(workshop.topicFile(T), bytes.subarray(0, 10));
    await expect(workshop.open()).rejects.toMatchObject(damage);
    await writeFile(workshop.topicFile(T), bytes);
    expect(await valuesIn(await workshop.open())).toEqual(['a']);
  });

  it('refuses a log that has lost what a group had read', async () => {
    const log = await workshop.open();
    const inbox = new Inbox();
    await log.subscribe({ group: 'g', topics: [T], onBatch: inbox.take });
    await log.append([text('a')]);
    await inbox.holds(1);
    await log.close();
    await rm(join(workshop.directory, 'topics'), { recursive: true });
    await expect(workshop.open().then((empty) => empty.append([text('b')]))).rejects.toMatchObject(damage);
  });

  it('refuses a log that is shorter than when it was closed', async () => {
    const log = await workshop.open();
    await log.append([text('a')]);
    await log.close();
    await truncate(workshop.topicFile(T), (await readFile(workshop.topicFile(T))).length - 1);
    await expect(workshop.open()).rejects.toMatchObject(damage);
  });

  it('refuses a log with a segment missing, or one that is shorter than it was', async () => {
    const log = await workshop.open({ segmentBytes: 300 });
    for (let i = 0; i < 9; i += 1) await log.append([text(String(i))]);
    await log.close();
    const second = await readFile(workshop.topicFile(T, 2));
    await truncate(workshop.topicFile(T, 2), second.length - 1);
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, file: workshop.topicFile(T, 2) });
    await rm(workshop.topicFile(T, 2));
    await expect(workshop.open()).rejects.toMatchObject(damage);
    await writeFile(workshop.topicFile(T, 2), second);
    expect(await valuesIn(await workshop.open())).toHaveLength(9);
  });

  it('forgets the end of the positions that a crash tore, no more', async () => {
    const log = await workshop.open();
    for (const group of ['g', 'h']) {
      const inbox = new Inbox();
      await log.subscribe({ group, topics: [T], onBatch: inbox.take });
      await log.append([text(group)]);
      await inbox.holds(1);
    }
    await log.close();
    await appendFile(join(workshop.directory, 'positions.seg'), Buffer.alloc(100, 1));
    const again = await workshop.open();
    const positions = await Promise.all(['g', 'h'].map((group) => again.positions(group, [T])));
    expect(positions.flat().every(({ lag }) => lag === 0)).toBe(true);
  });

  it('removes drafts of files that were never put in place', async () => {
    await crashed((log) => log.append([text('a')]));
    await writeFile(`${workshop.topicFile(T, 2)}.tmp`, 'half a header');
    expect(await valuesIn(await workshop.open())).toEqual(['a']);
    await expect(readFile(`${workshop.topicFile(T, 2)}.tmp`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('embedded log on a failing disk', () => {
  const workshop = new Workshop();
  let disk: FailingDisk;
  let log: EmbeddedLog;
  beforeEach(async () => {
    await workshop.begin();
    disk = new FailingDisk();
    log = await workshop.open({ openFile: disk.open });
    await log.append([text('before')]);
  });
  afterEach(() => workshop.end());

  const failed = { code: 'log_failed', retryable: false };

  it.each(['writev', 'datasync'] as const)(
    'acknowledges nothing after a failed %s, and says so once',
    async (broken) => {
      disk.faults = { [broken]: 'EIO' };
      const appends = await Promise.allSettled([log.append([text('a')]), log.append([text('b')])]);
      expect(appends).toMatchObject([
        { status: 'rejected', reason: failed },
        { status: 'rejected', reason: failed },
      ]);
      disk.faults = {};
      await expect(log.append([text('c')])).rejects.toMatchObject(failed);
      await expect(log.append([textRecord('another', 'k', 'd')])).rejects.toMatchObject(failed);
      await expect(log.check()).rejects.toMatchObject(failed);
      expect(workshop.fatal).toHaveLength(1);
      expect(workshop.fatal[0]).toMatchObject(failed);
    },
  );

  it('rejects what waits behind the write that fails', async () => {
    const first = log.append([text('a')]);
    disk.faults = { datasync: 'EIO' };
    const later = log.append([text('b')]);
    await expect(Promise.all([first, later])).rejects.toMatchObject(failed);
    await expect(later).rejects.toMatchObject(failed);
  });

  it('ends its readers, and still closes', async () => {
    const inbox = new Inbox();
    const subscription = await log.subscribe({ group: 'g', topics: [T], onBatch: inbox.take });
    await inbox.holds(1);
    disk.faults = { datasync: 'EIO' };
    await expect(log.append([text('a')])).rejects.toMatchObject(failed);
    expect(await subscription.caughtUp(20_000)).toBe(true);
    await subscription.close();
    await log.close();
    expect(inbox.values).toEqual(['before']);
  });

  it('goes on after a full disk, once what was half written is cut off', async () => {
    disk.faults = { writev: 'ENOSPC' };
    disk.room = 20;
    await expect(log.append([text('a')])).rejects.toMatchObject({ code: 'log_unavailable', unwritten: true });
    await log.check();
    disk.faults = {};
    await log.append([text('b')]);
    expect(await valuesIn(log)).toEqual(['before', 'b']);
    await log.close();
    expect(await valuesIn(await workshop.open())).toEqual(['before', 'b']);
    expect(workshop.fatal).toEqual([]);
  });

  it('is not to be counted on while its volume is full', async () => {
    let free = 0;
    await log.close();
    log = await workshop.open({ freeSpace: () => Promise.resolve(free) });
    await expect(log.check()).rejects.toMatchObject({ code: 'log_unavailable', retryable: true });
    free = 1 << 30;
    await log.check();
  });

  it('takes nothing any more when its directory is removed: what would still be written is gone with the process', async () => {
    await rm(workshop.directory, { recursive: true });
    await until(() => workshop.fatal.length > 0);
    expect(workshop.fatal[0]!.message).toBe(`${workshop.directory} is not there any more`);
    await expect(log.append([text('a')])).rejects.toMatchObject(failed);
  });

  it.each(['truncate', 'datasync'] as const)('fails when a full disk can not be tidied: %s', async (broken) => {
    disk.faults = { writev: 'ENOSPC', [broken]: 'EIO' };
    await expect(log.append([text('a')])).rejects.toMatchObject(failed);
    expect(workshop.fatal).toHaveLength(1);
  });

  it('takes a full disk as passing when a new topic or segment can not be made', async () => {
    disk.faults = { writev: 'ENOSPC' };
    const other = () => log.append([textRecord('another', 'k', 'a')]);
    await expect(other()).rejects.toMatchObject({ code: 'log_unavailable', unwritten: true });
    disk.faults = {};
    await other();
    expect(workshop.fatal).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'takes too many open files as passing when a segment is full: at opening %s',
    async (failing) => {
      await log.close();
      let opened = -1000;
      const tooMany = Object.assign(new Error('injected EMFILE'), { code: 'EMFILE' });
      const open = files.open.bind(files);
      const counted = <T>(run: () => Promise<T>) => ((opened += 1) === failing ? Promise.reject(tooMany) : run());
      const small = await workshop.open({
        segmentBytes: 200,
        openFile: (path, flags) => counted(() => disk.open(path, flags)),
      });
      for (let i = 0; i < 3; i += 1) await small.append([text(String(i))]);
      // A directory, too.
      const spy = jest
        .spyOn(files, 'open')
        .mockImplementation((path, flags, mode) => counted(() => open(path, flags, mode)));
      opened = 0;
      let refused = 0;
      for (let i = 3; i < 9; i += 1) {
        const appended = () => small.append([text(String(i))]);
        await appended().catch((error: unknown) => {
          refused += 1;
          expect(error).toMatchObject({ code: 'log_unavailable', unwritten: true });
          return appended();
        });
      }
      spy.mockRestore();
      expect(refused).toBe(1);
      expect(workshop.fatal).toEqual([]);
      await small.close();
      expect(await valuesIn(await workshop.open())).toEqual(['before', ...Array.from({ length: 9 }, (_, i) => `${i}`)]);
    },
  );

  it('does not say of several topics what is certain of one', async () => {
    disk.faults = { writev: 'ENOSPC' };
    const both = log.append([text('a'), textRecord('another', 'k', 'a')]);
    await expect(both).rejects.toMatchObject({ code: 'log_unavailable', unwritten: false });
  });

  it('syncs once for all that waits', async () => {
    const before = disk.done.datasync;
    await Promise.all(Array.from({ length: 50 }, (_, i) => log.append([text(String(i))])));
    expect(disk.done.datasync - before).toBe(1);
  });

  it('calls damage in an older segment by its name when it is read', async () => {
    await log.close();
    const small = await workshop.open({ segmentBytes: 200, memoryBytes: 0 });
    for (let i = 0; i < 5; i += 1) await small.append([text(String(i))]);
    const bytes = await readFile(workshop.topicFile(T, 2));
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(workshop.topicFile(T, 2), bytes);
    const inbox = new Inbox();
    await small.subscribe({ group: 'g', topics: [T], onBatch: inbox.take });
    await until(() => workshop.fatal.length > 0);
    expect(workshop.fatal[0]).toMatchObject({ code: 'log_damaged', file: workshop.topicFile(T, 2) });
    await expect(small.append([text('x')])).rejects.toMatchObject(failed);
    await expect(small.read(T, 0, 0, 1)).rejects.toMatchObject(failed);
  });
});
