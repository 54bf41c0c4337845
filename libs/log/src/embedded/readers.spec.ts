import { isDeepStrictEqual } from 'node:util';
import type * as fs from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { MAX_BATCH_BYTES } from '../log.batches';
import { LogWorkspace } from '../testing/disk';
import { Inbox, textRecord } from '../testing/inbox';
import { Lines } from '../testing/outcome.app';

jest.mock('node:fs/promises', () => ({ ...jest.requireActual<typeof fs>('node:fs/promises') }));

const TOPIC = 'topic';
const DAY_MS = 86_400_000;

describe('readers of the embedded log', () => {
  const workshop = new LogWorkspace();
  let now: number;
  beforeEach(async () => {
    now = Date.now();
    await workshop.begin();
  });
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await workshop.end();
  });
  /** A pause before another try never ends by itself. */
  const withEndlessPauses = () => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const openFor30Days = () => workshop.open({ now: () => now, retention: { days: 30, keepWhole: [] } });

  it('get a record that is larger than a batch alone', async () => {
    const log = await workshop.open({ maxRecordBytes: MAX_BATCH_BYTES + 1000 });
    const sizes = [9, MAX_BATCH_BYTES + 9, 9];
    await log.append(sizes.map((size) => ({ ...textRecord(TOPIC, 'k', ''), value: Buffer.alloc(size) })));
    const inbox = new Inbox();
    await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await inbox.waitFor(3);
    expect(inbox.batches.map(({ records }) => records.map(({ value }) => value.length))).toEqual(
      sizes.map((size) => [size]),
    );
  });

  it.each([
    ['at the beginning of a batch, and log it', 1, 1],
    ['in the middle of a batch', 2, 0],
  ])('skip nothing when a read fails %s', async (_, failing, told) => {
    const logger = new Lines();
    const log = await workshop.open({ memoryBytes: 0, logger });
    const values = Array.from({ length: 20 }, (_, n) => String(n).padEnd(100_000, '.'));
    for (const value of values) await log.append([textRecord(TOPIC, 'k', value)]);
    const { open } = jest.requireActual<typeof fs>('node:fs/promises');
    let reads = 0;
    // One read of the segment fails once: too many files are open.
    jest.spyOn(jest.requireMock<typeof fs>('node:fs/promises'), 'open').mockImplementation((path, flags, mode) => {
      if (String(path).endsWith('.seg') && flags === 'r' && (reads += 1) === failing)
        return Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }));
      return open(path, flags, mode);
    });
    const inbox = new Inbox();
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    expect(await subscription.caughtUp(20_000)).toBe(true);
    expect(reads).toBeGreaterThan(2);
    expect(logger.lines).toHaveLength(told);
    // Not by `toEqual`, which would print half a megabyte on failure.
    expect(isDeepStrictEqual(inbox.values, values)).toBe(true);
  });

  it('are closed at once when a read fails meanwhile', async () => {
    const log = await workshop.open({ memoryBytes: 0, logger: new Lines() });
    await log.append([textRecord(TOPIC, 'k', 'a')]);
    let closed: Promise<void> | undefined;
    const { open } = jest.requireActual<typeof fs>('node:fs/promises');
    jest
      .spyOn(jest.requireMock<typeof fs>('node:fs/promises'), 'open')
      .mockImplementation(async (path, flags, mode) => {
        if (!String(path).endsWith('.seg') || flags !== 'r') return open(path, flags, mode);
        await turn();
        closed = subscription.close();
        throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
      });
    withEndlessPauses();
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: new Inbox().take });
    while (!closed) await turn();
    await closed;
  });

  it('are closed at once while they wait to hand over records again', async () => {
    const log = await workshop.open({ logger: new Lines() });
    await log.append([textRecord(TOPIC, 'k', 'a')]);
    withEndlessPauses();
    const onBatch = jest.fn(() => Promise.reject(new Error('not now')));
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch });
    while (onBatch.mock.calls.length === 0) await turn();
    await turn();
    await subscription.close();
  });

  it('are caught up after a sweep began a new segment', async () => {
    const log = await openFor30Days();
    const inbox = new Inbox();
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await log.append([textRecord(TOPIC, 'k', 'a')]);
    expect(await subscription.caughtUp(20_000)).toBe(true);
    now += DAY_MS + 1;
    await log.sweep();
    expect(await subscription.caughtUp(20_000)).toBe(true);
  });

  it('do not keep old records from being removed, even if no newer ones follow', async () => {
    const log = await openFor30Days();
    const inbox = new Inbox();
    const subscription = await log.subscribe({ group: 'g', topics: [TOPIC], onBatch: inbox.take });
    await log.append([textRecord(TOPIC, 'k', 'a')]);
    for (let day = 0; day < 40; day += 1) {
      expect(await subscription.caughtUp(20_000)).toBe(true);
      now += DAY_MS;
      await log.sweep();
    }
    const [begin] = (await log.positions('g', [TOPIC])).filter(({ end }) => end > 0);
    expect(await log.read(TOPIC, begin!.partition, 0, 10)).toEqual([]);
  });
});
