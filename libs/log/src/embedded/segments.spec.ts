import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LogWorkspace } from '../testing/disk';
import { Inbox, textRecord, until } from '../testing/inbox';
import { countSegments, fill, text, TOPIC } from '../testing/segments';

const workshop = new LogWorkspace();
beforeEach(() => workshop.begin());
afterEach(() => workshop.end());
const segmentsOf = () => countSegments(workshop);

describe('segments', () => {
  it.each([0, 3000, 16 * 1024 * 1024])('are read as one log, with %d bytes in memory', async (memoryBytes) => {
    const log = await workshop.open({ segmentBytes: 1000, memoryBytes });
    const values = await fill(log, 0, 60);
    expect(await segmentsOf()).toBeGreaterThan(4);
    const inbox = new Inbox();
    await log.subscribe({ group: 'g', topics: [TOPIC], maxRecords: 7, onBatch: inbox.take });
    const early = await inbox.waitFor(60);
    expect(early).toEqual(values);
    const late = await fill(log, 60, 90);
    expect(await inbox.waitFor(90)).toEqual([...values, ...late]);
  });

  it('let a group go on after a restart wherever it stopped', async () => {
    let log = await workshop.open({ segmentBytes: 1000 });
    const values = await fill(log, 0, 40);
    const seen: string[] = [];
    for (let round = 0; round < 14; round += 1) {
      const inbox = new Inbox();
      const onBatch = (batch: Parameters<Inbox['take']>[0]) =>
        inbox.batches.length > 0 ? Promise.reject(new Error('enough')) : inbox.take(batch);
      await log.subscribe({ group: 'g', topics: [TOPIC], maxRecords: 3, onBatch });
      await until(() => inbox.batches.length > 0);
      await log.close();
      seen.push(...inbox.values);
      log = await workshop.open({ segmentBytes: 1000 });
    }
    expect(seen).toEqual(values);
  });

  it('return records of single partitions by position', async () => {
    const log = await workshop.open({ segmentBytes: 1000, partitions: 3 });
    const values = await fill(log, 0, 60);
    const found: string[] = [];
    for (let partition = 0; partition < 3; partition += 1) {
      for (let from = 0; ; from += 2) {
        const records = await log.read(TOPIC, partition, from, 2);
        records.forEach(({ position, ...record }, index) => {
          expect([record.partition, position]).toEqual([partition, from + index]);
          found.push(record.value.toString());
        });
        if (records.length < 2) break;
      }
    }
    expect(found.sort()).toEqual(values.sort());
  });

  it('hold a record that is larger than what is read at once', async () => {
    const log = await workshop.open({ memoryBytes: 0 });
    const value = Buffer.alloc(1024 * 1024, 'x');
    await log.append([text('a'), { ...text(''), value }, text('b')]);
    await log.close();
    const again = await workshop.open();
    const inbox = new Inbox();
    await again.follow({ topics: [TOPIC], onBatch: inbox.take });
    await inbox.waitFor(3);
    expect(inbox.records.map((record) => record.value.length)).toEqual([1, value.length, 1]);
  });

  it('are continued where they ended, restart after restart', async () => {
    for (const value of ['a', 'b', 'c']) {
      const log = await workshop.open();
      await log.append([text(value)]);
      await log.close();
    }
    const inbox = new Inbox();
    await (await workshop.open()).follow({ topics: [TOPIC], onBatch: inbox.take });
    expect(await inbox.waitFor(3)).toEqual(['a', 'b', 'c']);
    expect(await segmentsOf()).toBe(1);
  });

  it('keep the number of partitions that a topic was made with', async () => {
    const log = await workshop.open({ partitions: 3 });
    await log.append([text('a')]);
    await log.close();
    const again = await workshop.open({ partitions: 5 });
    expect(await again.partitions(TOPIC)).toBe(3);
    expect(await again.partitions('new')).toBe(5);
  });
});

describe('members of a group', () => {
  it('are refused a second time for the same group and topic, until the first leaves', async () => {
    const log = await workshop.open();
    const member = { group: 'g', topics: [TOPIC], onBatch: () => Promise.resolve() };
    const first = await log.subscribe(member);
    await expect(log.subscribe(member)).rejects.toMatchObject({ code: 'group_taken', retryable: false });
    await log.subscribe({ ...member, topics: ['other'] });
    await log.subscribe({ ...member, group: 'h' });
    await first.close();
    await log.subscribe(member);
  });

  it('can commit forever in a positions file that stays small', async () => {
    const log = await workshop.open({ partitions: 200 });
    const inbox = new Inbox();
    const group = 'g'.repeat(60_000);
    await log.subscribe({ group, topics: [TOPIC], onBatch: inbox.take });
    for (let i = 0; i < 60; i += 1) {
      await log.append([text(String(i))]);
      await inbox.waitFor(i + 1);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await log.close();
    expect((await stat(join(workshop.directory, 'positions.seg'))).size).toBeLessThan(1_200_000);
    const again = await workshop.open();
    expect((await again.positions(group, [TOPIC])).every(({ lag }) => lag === 0)).toBe(true);
  });
});

describe('names and options', () => {
  it('are refused by code when they are invalid', async () => {
    const log = await workshop.open();
    for (const topic of ['', '..', 'a/b', 'A', '.hidden']) {
      await expect(log.append([textRecord(topic, 'k', 'v')])).rejects.toMatchObject({ code: 'topic_name_refused' });
    }
    await log.close();
    for (const options of [{ partitions: 0 }, { partitions: 1.5 }, { maxRecordBytes: 0 }, { maxRecordBytes: 1e9 }]) {
      await expect(workshop.open(options)).rejects.toMatchObject({ code: 'log_option_refused' });
    }
  });

  it('allow one process at a time', async () => {
    const log = await workshop.open();
    await expect(workshop.open()).rejects.toMatchObject({ code: 'directory_locked' });
    await log.close();
    await workshop.open();
  });

  it('limit the headers of a record, too', async () => {
    const log = await workshop.open();
    const record = { ...text('v'), headers: { large: 'x'.repeat(70_000) } };
    await expect(log.append([record])).rejects.toMatchObject({
      code: 'record_too_large',
      message: expect.stringContaining('limit of 65536'),
    });
  });
});

describe('memory', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  /** Bytes in use. The collector's first run releases freed buffers only afterwards, so it runs twice. */
  async function used(): Promise<number> {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  }

  it('does not grow with what waits to be read', async () => {
    const log = await workshop.open({ memoryBytes: 1024 * 1024 });
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let handled = 0;
    await log.subscribe({
      group: 'slow',
      topics: [TOPIC],
      onBatch: async ({ records }) => {
        await held;
        handled += records.length;
      },
    });
    const value = 'x'.repeat(500);
    const some = (count: number) => Array.from({ length: count }, (_, i) => text(value, `key ${i}`));
    await log.append(some(1000));
    const before = await used();
    for (let i = 0; i < 100; i += 1) await log.append(some(1000));
    const waiting = await used();
    release();
    await until(() => handled === 101_000);
    const after = await used();
    // About 70 MB wait to be read.
    expect(waiting - before).toBeLessThan(20_000_000);
    expect(after - before).toBeLessThan(20_000_000);
  });
});
