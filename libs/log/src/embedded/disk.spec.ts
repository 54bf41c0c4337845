import files, { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Inbox, textRecord, until, valuesIn } from '../testing/inbox';
import { FailingDisk, LogWorkspace } from '../testing/disk';
import type { EmbeddedLog } from './embedded.log';
import type { OpenFile } from './durable.file';
import { decodeHeader } from './segment.header';

const TOPIC = 'topic';
const DAY_MS = 86_400_000;
const text = (value: string, key = 'k') => textRecord(TOPIC, key, value);

describe('embedded log on a failing disk', () => {
  const workshop = new LogWorkspace();
  let disk: FailingDisk;
  let log: EmbeddedLog;
  beforeEach(async () => {
    await workshop.begin();
    disk = new FailingDisk();
    log = await workshop.open({ openFile: disk.open });
    await log.append([text('before')]);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await workshop.end();
  });

  const failed = { code: 'log_failed', retryable: false };

  /** Counts the syncs of a folder; the first one fails. */
  function failFirstSync(folder: string): { done: number } {
    const opens = files.open;
    const syncs = { done: 0 };
    jest.spyOn(files, 'open').mockImplementation(async (path, ...how) => {
      const file = await opens(path, ...how);
      if (path !== folder) return file;
      const sync = file.sync.bind(file);
      file.sync = () => {
        syncs.done += 1;
        return syncs.done > 1
          ? sync()
          : Promise.reject(Object.assign(new Error('injected ENOMEM'), { code: 'ENOMEM' }));
      };
      return file;
    });
    return syncs;
  }

  it.each(['writev', 'datasync'] as const)(
    'acknowledges nothing after a failed %s, and reports it once',
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

  it('rejects appends that wait behind a failing write', async () => {
    const first = log.append([text('a')]);
    disk.faults = { datasync: 'EIO' };
    const later = log.append([text('b')]);
    await expect(Promise.all([first, later])).rejects.toMatchObject(failed);
    await expect(later).rejects.toMatchObject(failed);
  });

  it('syncs the folder of a topic before it acknowledges an append, even if that sync failed the first time', async () => {
    const syncs = failFirstSync(join(workshop.directory, 'topics'));
    await expect(log.append([textRecord('new', 'k', 'a')])).rejects.toMatchObject({ code: 'log_unavailable' });
    await log.append([textRecord('new', 'k', 'b')]);
    expect(syncs.done).toBe(2);
  });

  it('rejects appends that wait behind a segment whose name could not be synced', async () => {
    await log.close();
    log = await workshop.open({ segmentBytes: 1 });
    failFirstSync(dirname(workshop.topicFile(TOPIC)));
    const large = { ...text(''), value: Buffer.alloc(1024 * 1024) };
    const appends = await Promise.allSettled([log.append([large]), log.append([large])]);
    expect(appends).toMatchObject([{ reason: failed }, { reason: failed }]);
  });

  it('has failed when the name of the first segment of a new topic could not be synced', async () => {
    failFirstSync(dirname(workshop.topicFile('new')));
    await expect(log.append([textRecord('new', 'k', 'a')])).rejects.toMatchObject(failed);
    await expect(log.append([textRecord('new', 'k', 'b'), text('c')])).rejects.toMatchObject(failed);
    expect(workshop.fatal).toMatchObject([failed]);
  });

  it('rejects an append to a topic that was being opened when another topic failed', async () => {
    let letOpen = () => {};
    const opens = new Promise<void>((resolve) => (letOpen = resolve));
    let opening = false;
    const gated: OpenFile = async (path, flags) => {
      if (path.includes('late')) {
        opening = true;
        await opens;
      }
      return disk.open(path, flags);
    };
    await log.close();
    log = await workshop.open({ openFile: gated });
    const late = log.append([textRecord('late', 'k', 'late')]).catch((error: unknown) => error);
    await until(() => opening);
    disk.faults = { datasync: 'EIO' };
    await expect(log.append([text('a')])).rejects.toMatchObject(failed);
    disk.faults = {};
    letOpen();
    expect(await late).toMatchObject(failed);
  });

  it('rejects appends that wait in another topic when one topic has failed', async () => {
    const gate: { shut?: Promise<void> } = {};
    let holding = false;
    const gated: OpenFile = async (path, flags) => {
      const file = await disk.open(path, flags);
      if (!path.includes('other')) return file;
      const datasync = async () => {
        holding = gate.shut !== undefined;
        await gate.shut;
        return file.datasync();
      };
      return { ...file, datasync };
    };
    await log.close();
    log = await workshop.open({ openFile: gated });
    const other = (value: string) => log.append([textRecord('other', 'k', value)]).catch((error: unknown) => error);
    await other('there');
    let release = () => {};
    gate.shut = new Promise((resolve) => (release = resolve));
    const first = other('in hand');
    await until(() => holding);
    const waits = other('waits');
    disk.faults = { datasync: 'EIO' };
    await expect(log.append([text('a')])).rejects.toMatchObject(failed);
    disk.faults = {};
    release();
    await first;
    expect(await waits).toMatchObject(failed);
  });

  it('lets readers catch up and close after a failure', async () => {
    const inbox = new Inbox();
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await inbox.waitFor(1);
    disk.faults = { datasync: 'EIO' };
    await expect(log.append([text('a')])).rejects.toMatchObject(failed);
    expect(await subscription.caughtUp(20_000)).toBe(true);
    await subscription.close();
    await log.close();
    expect(inbox.values).toEqual(['before']);
  });

  it('goes on after a full disk, once the partial write is cut off', async () => {
    disk.faults = { writev: 'ENOSPC' };
    disk.room = 20;
    await expect(log.append([text('a')])).rejects.toMatchObject({ code: 'log_unavailable', unwritten: true });
    await log.check();
    disk.faults = {};
    await log.append([text('b')]);
    expect(await valuesIn(log, TOPIC)).toEqual(['before', 'b']);
    await log.close();
    expect(await valuesIn(await workshop.open(), TOPIC)).toEqual(['before', 'b']);
    expect(workshop.fatal).toEqual([]);
  });

  it('fails its check while the volume is full', async () => {
    let free = 0;
    await log.close();
    log = await workshop.open({ freeSpace: () => Promise.resolve(free) });
    await expect(log.check()).rejects.toMatchObject({ code: 'log_unavailable', retryable: true });
    free = 1 << 30;
    await log.check();
  });

  it.each(['truncate', 'datasync'] as const)(
    'fails for good when the partial write on a full disk cannot be cut off: %s',
    async (broken) => {
      disk.faults = { writev: 'ENOSPC', [broken]: 'EIO' };
      await expect(log.append([text('a')])).rejects.toMatchObject(failed);
      expect(workshop.fatal).toHaveLength(1);
    },
  );

  it('treats a full disk as transient when a new topic or segment cannot be created', async () => {
    disk.faults = { writev: 'ENOSPC' };
    const other = () => log.append([textRecord('another', 'k', 'a')]);
    await expect(other()).rejects.toMatchObject({ code: 'log_unavailable', unwritten: true });
    disk.faults = {};
    await other();
    expect(workshop.fatal).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'treats too many open files as transient when a segment is full: at opening %s',
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
      // Directories are counted, too.
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
      expect(await valuesIn(await workshop.open(), TOPIC)).toEqual([
        'before',
        ...Array.from({ length: 9 }, (_, i) => `${i}`),
      ]);
    },
  );

  it('appends to the segment that a sweep began, after too many open files kept it from being opened', async () => {
    await log.close();
    let now = Date.now();
    let opensNone = false;
    const tooMany = Object.assign(new Error('injected EMFILE'), { code: 'EMFILE' });
    const quiet = await workshop.open({
      retention: { days: 30, keepWhole: [] },
      now: () => now,
      openFile: (path, flags) => (opensNone && flags === 'r+' ? Promise.reject(tooMany) : disk.open(path, flags)),
    });
    await quiet.append([text('1')]);
    now += 2 * DAY_MS;
    opensNone = true;
    await quiet.sweep();
    await expect(quiet.append([text('2')])).rejects.toMatchObject({ code: 'log_unavailable', unwritten: true });
    opensNone = false;
    await quiet.append([text('3')]);
    await quiet.close();
    const again = await workshop.open();
    expect(await valuesIn(again, TOPIC)).toEqual(['before', '1', '3']);
    expect(workshop.fatal).toEqual([]);
  });

  it('does not report an append to several topics as unwritten when one of them fails', async () => {
    disk.faults = { writev: 'ENOSPC' };
    const both = log.append([text('a'), textRecord('another', 'k', 'a')]);
    await expect(both).rejects.toMatchObject({ code: 'log_unavailable', unwritten: false });
  });

  it('syncs once for all waiting appends', async () => {
    const before = disk.done.datasync;
    await Promise.all(Array.from({ length: 50 }, (_, i) => log.append([text(String(i))])));
    expect(disk.done.datasync - before).toBe(1);
  });

  it.each([
    ['a flipped bit', (bytes: Buffer) => void (bytes[bytes.length - 1]! ^= 1)],
    ['a length beyond the end', (bytes: Buffer, first: number) => void bytes.writeUInt32LE(5_000, first)],
    [
      'a record in the place of another',
      (bytes: Buffer, first: number) => {
        const second = first + 8 + bytes.readUInt32LE(first);
        bytes.copy(bytes, second, first, second);
      },
    ],
  ])('reports damage in an older segment, with its file, when it is read: %s', async (_, spoil) => {
    await log.close();
    const small = await workshop.open({ segmentBytes: 300, memoryBytes: 0 });
    for (let i = 0; i < 8; i += 1) await small.append([text(String(i))]);
    const bytes = await readFile(workshop.topicFile(TOPIC, 2));
    spoil(bytes, decodeHeader(bytes)!.end);
    await writeFile(workshop.topicFile(TOPIC, 2), bytes);
    const inbox = new Inbox();
    await small.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await until(() => workshop.fatal.length > 0);
    expect(workshop.fatal[0]).toMatchObject({ code: 'log_damaged', file: workshop.topicFile(TOPIC, 2) });
    await expect(small.append([text('x')])).rejects.toMatchObject(failed);
    await expect(small.read(TOPIC, 0, 0, 1)).rejects.toMatchObject(failed);
  });
});
