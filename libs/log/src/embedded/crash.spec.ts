import { readFileSync } from 'node:fs';
import files, { appendFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Inbox, textRecord, until, valuesIn } from '../testing/inbox';
import { LogWorkspace } from '../testing/disk';
import { openFile, type OpenFile, type WritableFile } from './durable.file';
import type { EmbeddedLog } from './embedded.log';
import { decodeHeader } from './segment.header';

const TOPIC = 'topic';
const text = (value: string, key = 'k') => textRecord(TOPIC, key, value);

describe('embedded log after a crash', () => {
  const workshop = new LogWorkspace();
  beforeEach(() => workshop.begin());
  afterEach(() => workshop.end());

  /** Leaves the log as a crash does: no clean close is recorded. Resolves with the bytes of the topic. */
  async function writeAndCrash(write: (log: EmbeddedLog) => Promise<void>): Promise<Buffer> {
    const log = await workshop.open();
    await write(log);
    await log.close();
    await rm(join(workshop.directory, 'positions.seg'));
    return readFile(workshop.topicFile(TOPIC));
  }

  const damage = { code: 'log_damaged', retryable: false };

  it('keeps whole batches and takes new ones, wherever the last flush was torn', async () => {
    let lastFlush = 0;
    const bytes = await writeAndCrash(async (log) => {
      await log.append([text('a1'), text('a2', 'other')]);
      lastFlush = (await readFile(workshop.topicFile(TOPIC))).length;
      await Promise.all([log.append([text('b1'), text('b2')]), log.append([text('c')])]);
    });
    for (let cut = lastFlush; cut <= bytes.length; cut += 1) {
      await writeFile(workshop.topicFile(TOPIC), bytes.subarray(0, cut));
      await rm(workshop.topicFile(TOPIC, 2), { force: true });
      const log = await workshop.open();
      const values = await valuesIn(log, TOPIC);
      expect([
        ['a1', 'a2'],
        ['a1', 'a2', 'b1', 'b2'],
        ['a1', 'a2', 'b1', 'b2', 'c'],
      ]).toContainEqual(values);
      await log.append([text('after')]);
      expect(await valuesIn(log, TOPIC)).toEqual([...values, 'after']);
      await log.close();
      await rm(join(workshop.directory, 'positions.seg'));
    }
  });

  it('keeps a flush that was written in several pieces', async () => {
    const values = ['a', 'b', 'c'].map((value) => value.repeat(300_000));
    await writeAndCrash(async (log) => void (await Promise.all(values.map((value) => log.append([text(value)])))));
    const log = await workshop.open();
    expect((await valuesIn(log, TOPIC)).map((value, index) => value === values[index])).toEqual([true, true, true]);
  });

  it('cuts off zeros and leftovers of another write at the end', async () => {
    const bytes = await writeAndCrash((log) => log.append([text('a')]));
    for (const tail of [Buffer.alloc(5000), Buffer.alloc(5000, 0xff), bytes.subarray(0, 200)]) {
      await writeFile(workshop.topicFile(TOPIC), Buffer.concat([bytes, tail]));
      const log = await workshop.open();
      expect(await valuesIn(log, TOPIC)).toEqual(['a']);
      await log.close();
      expect(await readFile(workshop.topicFile(TOPIC))).toEqual(bytes);
      await rm(join(workshop.directory, 'positions.seg'));
    }
  });

  it('refuses damage before the last flush, and reports its file and offset', async () => {
    const bytes = await writeAndCrash(async (log) => {
      for (const value of ['a', 'b', 'c']) await log.append([text(value)]);
    });
    const { end: offset } = decodeHeader(bytes)!;
    bytes[offset + 50]! ^= 1;
    await writeFile(workshop.topicFile(TOPIC), bytes);
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, file: workshop.topicFile(TOPIC), offset });
  });

  it('refuses a damaged header', async () => {
    const bytes = await writeAndCrash((log) => log.append([text('a')]));
    bytes[20]! ^= 1;
    await writeFile(workshop.topicFile(TOPIC), bytes);
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, offset: 0 });
  });

  it('releases the directory lock when it refuses to open', async () => {
    const bytes = await writeAndCrash((log) => log.append([text('a')]));
    await writeFile(workshop.topicFile(TOPIC), bytes.subarray(0, 10));
    await expect(workshop.open()).rejects.toMatchObject(damage);
    await writeFile(workshop.topicFile(TOPIC), bytes);
    expect(await valuesIn(await workshop.open(), TOPIC)).toEqual(['a']);
  });

  it('refuses a log that lost records which a group had read', async () => {
    const log = await workshop.open();
    const inbox = new Inbox();
    await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await log.append([text('a')]);
    await inbox.waitFor(1);
    await log.close();
    const folder = dirname(workshop.topicFile(TOPIC));
    const backup = join(workshop.directory, 'backup');
    await rename(folder, backup);
    for (const lost of [folder, dirname(folder)]) {
      await rm(lost, { recursive: true, force: true });
      await expect(workshop.open()).rejects.toMatchObject({ ...damage, file: folder });
    }
    // The refusal left nothing behind that would be in the way of what is restored.
    await rename(backup, folder);
    expect(await valuesIn(await workshop.open(), TOPIC)).toEqual(['a']);
  });

  it('fails when a topic turns out to be damaged at its first use', async () => {
    const log = await workshop.open();
    await mkdir(dirname(workshop.topicFile(TOPIC)), { recursive: true });
    await writeFile(workshop.topicFile(TOPIC), 'no header');
    await expect(log.append([text('a')])).rejects.toMatchObject(damage);
    expect(workshop.fatal).toMatchObject([damage]);
    await expect(log.append([textRecord('other', 'k', 'a')])).rejects.toMatchObject({ code: 'log_failed' });
  });

  it('refuses a log that is shorter than when it was closed', async () => {
    const log = await workshop.open();
    await log.append([text('a')]);
    await log.close();
    await truncate(workshop.topicFile(TOPIC), (await readFile(workshop.topicFile(TOPIC))).length - 1);
    await expect(workshop.open()).rejects.toMatchObject(damage);
  });

  it('refuses a log with a missing or shortened segment', async () => {
    const log = await workshop.open({ segmentBytes: 300 });
    for (let i = 0; i < 9; i += 1) await log.append([text(String(i))]);
    await log.close();
    const second = await readFile(workshop.topicFile(TOPIC, 2));
    await truncate(workshop.topicFile(TOPIC, 2), second.length - 1);
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, file: workshop.topicFile(TOPIC, 2) });
    await rm(workshop.topicFile(TOPIC, 2));
    await expect(workshop.open()).rejects.toThrow('a segment before it is missing');
    await writeFile(workshop.topicFile(TOPIC, 2), second);
    expect(await valuesIn(await workshop.open(), TOPIC)).toHaveLength(9);
  });

  it('refuses a log whose first segments are missing, with records that a group has not read', async () => {
    const log = await workshop.open({ segmentBytes: 300 });
    const onBatch = () => Promise.reject(new Error('later'));
    await log.subscribe({ group: 'slow', topics: [TOPIC], onBatch });
    for (let i = 0; i < 9; i += 1) await log.append([text(String(i))]);
    await log.close();
    const first = await readFile(workshop.topicFile(TOPIC));
    await rm(workshop.topicFile(TOPIC));
    await expect(workshop.open()).rejects.toMatchObject({ ...damage, file: workshop.topicFile(TOPIC, 2) });
    await writeFile(workshop.topicFile(TOPIC), first);
    expect(await valuesIn(await workshop.open(), TOPIC)).toHaveLength(9);
  });

  it.each([
    ['another topic', 'other', 1],
    ['another place', TOPIC, 2],
  ])('refuses a segment of %s', async (_, topic, number) => {
    const bytes = await writeAndCrash((log) => log.append([text('a')]));
    await rm(workshop.topicFile(TOPIC));
    const path = workshop.topicFile(topic, number);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    await expect(workshop.open()).rejects.toThrow('it belongs elsewhere');
  });

  it('begins only one new segment behind a partly kept flush', async () => {
    const bytes = await writeAndCrash(async (log) => {
      await Promise.all([log.append([text('a')]), log.append([text('b')])]);
    });
    await truncate(workshop.topicFile(TOPIC), bytes.length - 1);
    const log = await workshop.open();
    for (const value of ['c', 'd', 'e']) await log.append([text(value)]);
    expect(await valuesIn(log, TOPIC)).toEqual(['a', 'c', 'd', 'e']);
    expect(await readdir(dirname(workshop.topicFile(TOPIC)))).toHaveLength(2);
  });

  it('drops only the torn end of the positions file', async () => {
    const log = await workshop.open();
    for (const group of ['g', 'h']) {
      const inbox = new Inbox();
      await log.subscribe({ group, topics: [TOPIC], onBatch: inbox.take });
      await log.append([text(group)]);
      await inbox.waitFor(1);
    }
    await log.close();
    await appendFile(join(workshop.directory, 'positions.seg'), Buffer.alloc(100, 1));
    const again = await workshop.open();
    const positions = await Promise.all(['g', 'h'].map((group) => again.positions(group, [TOPIC])));
    expect(positions.flat().every(({ lag }) => lag === 0)).toBe(true);
  });

  /** Simulates blocks of one write that reach the disk in any order: of the last two records, the first is missing. */
  async function tear(file: string, recordBytes: number): Promise<void> {
    const bytes = await readFile(file);
    bytes.fill(0, bytes.length - 2 * recordBytes, bytes.length - recordBytes);
    await writeFile(file, bytes);
  }

  it('treats what a second crash tore as torn, behind what was kept of the first', async () => {
    let lastFlush = 0;
    const bytes = await writeAndCrash(async (log) => {
      await log.append([text('a')]);
      lastFlush = (await readFile(workshop.topicFile(TOPIC))).length;
      await Promise.all([log.append([text('b')]), log.append([text('c')])]);
    });
    const recordBytes = (bytes.length - lastFlush) / 2;
    await truncate(workshop.topicFile(TOPIC), lastFlush + recordBytes);
    await writeAndCrash(async (log) => {
      expect(await valuesIn(log, TOPIC)).toEqual(['a', 'b']);
      await Promise.all([log.append([text('d')]), log.append([text('e')])]);
    });
    const segments = await readdir(dirname(workshop.topicFile(TOPIC)));
    await tear(workshop.topicFile(TOPIC, segments.length), recordBytes);
    const log = await workshop.open();
    expect(await valuesIn(log, TOPIC)).toEqual(['a', 'b']);
    await log.append([text('after')]);
    expect(await valuesIn(log, TOPIC)).toEqual(['a', 'b', 'after']);
  });

  it('treats positions that a second crash tore as torn', async () => {
    const path = join(workshop.directory, 'positions.seg');
    /** The journal once two groups have joined: two records of one flush. */
    const joined = async () => {
      const log = await workshop.open();
      const before = readFileSync(path);
      const member = { topics: [TOPIC], onBatch: () => Promise.resolve() };
      await Promise.all(['g', 'h'].map((group) => log.subscribe({ ...member, group })));
      await until(() => !readFileSync(path).equals(before));
      const bytes = await readFile(path);
      await log.close();
      return bytes;
    };
    const bytes = await joined();
    const { end } = decodeHeader(bytes)!;
    const recordBytes = (bytes.length - end) / 2;
    await writeFile(path, bytes.subarray(0, end + recordBytes));
    await writeFile(path, await joined());
    await tear(path, recordBytes);
    const log = await workshop.open();
    expect((await log.positions('g', [TOPIC])).every(({ committed }) => committed === 0)).toBe(true);
  });

  it('writes the last flush again before anything follows it: after a failed sync it may be in memory alone', async () => {
    const paths = [workshop.topicFile(TOPIC), join(workshop.directory, 'positions.seg')];
    const written = new Map<string, [at: number, bytes: Buffer][]>();
    const open: OpenFile = async (path, flags) => {
      const file = await openFile(path, flags);
      const writev = async (buffers: Buffer[], at: number) => {
        written.set(path, [...(written.get(path) ?? []), [at, Buffer.concat(buffers)]]);
        return file.writev(buffers, at);
      };
      const datasync = () => file.datasync();
      return { writev, datasync, truncate: (size) => file.truncate(size), close: () => file.close() } as WritableFile;
    };
    const log = await workshop.open({ openFile: open });
    for (const value of ['a', 'b']) await log.append([text(value)]);
    await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: () => Promise.resolve() });
    await log.close();
    const last = paths.map((path) => written.get(path)!.at(-1)!);
    written.clear();
    await workshop.open({ openFile: open });
    expect(paths.map((path) => written.get(path))).toEqual(last.map((flush) => [flush]));
  });

  it('syncs all folders above the records: the process that created them may have died before it did', async () => {
    await writeAndCrash((log) => log.append([text('a')]));
    const opens = files.open;
    const synced: string[] = [];
    const spied = jest.spyOn(files, 'open').mockImplementation(async (path, ...how) => {
      const file = await opens(path, ...how);
      const sync = file.sync.bind(file);
      file.sync = () => sync().then(() => void synced.push(String(path)));
      return file;
    });
    await workshop.open();
    spied.mockRestore();
    const folder = dirname(workshop.topicFile(TOPIC));
    const above = [workshop.directory, dirname(workshop.directory)];
    expect(synced).toEqual(expect.arrayContaining([folder, dirname(folder), ...above]));
  });

  it('removes drafts of files that were never put in place', async () => {
    await writeAndCrash((log) => log.append([text('a')]));
    await writeFile(`${workshop.topicFile(TOPIC, 2)}.tmp`, 'half a header');
    expect(await valuesIn(await workshop.open(), TOPIC)).toEqual(['a']);
    await expect(readFile(`${workshop.topicFile(TOPIC, 2)}.tmp`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
