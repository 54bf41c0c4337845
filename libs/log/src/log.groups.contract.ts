import { setImmediate as turn } from 'node:timers/promises';
import { MAX_BATCH_BYTES } from './log.batches';
import type { EventLog, RecordBatch } from './log.port';
import { Inbox, textRecord, until } from './testing/inbox';

const WAIT_MS = 20_000;

/** A log under test. */
export interface LogHarness {
  log: EventLog;
  /** The largest record that the log takes (key and value, in bytes). */
  limit: number;
  /** Name of a topic that exists and is empty. */
  topic(): Promise<string>;
  /** Closes the log cleanly and opens it again. */
  reopen(): Promise<EventLog>;
  close(): Promise<void>;
}

/** The part of the contract about reading in groups; run by `eventLogContract`, with the log of the test and a topic of it. */
export function groupsContract(current: () => { harness: LogHarness; topic: string }): void {
  let harness: LogHarness;
  let log: EventLog;
  let topic: string;
  const text = (key: string, value: string) => textRecord(topic, key, value);
  const numbered = (count: number, key = 'k') => Array.from({ length: count }, (_, i) => text(key, `${key}${i}`));

  beforeEach(() => {
    ({ harness, topic } = current());
    log = harness.log;
  });

  describe('groups', () => {
    it('start at the first record and go on where they stopped', async () => {
      await log.append(numbered(3, 'a'));
      const first = new Inbox();
      const subscription = await log.subscribe({ group: 'g', topics: [topic], onBatch: first.take });
      expect(await first.waitFor(3)).toEqual(['a0', 'a1', 'a2']);
      await subscription.close();
      await log.append(numbered(2, 'b'));
      const second = new Inbox();
      await log.subscribe({ group: 'g', topics: [topic], onBatch: second.take });
      expect(await second.waitFor(2)).toEqual(['b0', 'b1']);
    });

    it('keep their positions over a restart', async () => {
      await log.append(numbered(3, 'a'));
      const first = new Inbox();
      await log.subscribe({ group: 'g', topics: [topic], onBatch: first.take });
      await first.waitFor(3);
      log = await harness.reopen();
      await log.append(numbered(1, 'b'));
      const second = new Inbox();
      await log.subscribe({ group: 'g', topics: [topic], onBatch: second.take });
      expect(await second.waitFor(1)).toEqual(['b0']);
    });

    it('get the same records again when the handler rejects', async () => {
      await log.append(numbered(4));
      const seen: string[][] = [];
      await log.subscribe({
        group: 'g',
        topics: [topic],
        maxRecords: 2,
        onBatch: ({ records }) => {
          seen.push(records.map(({ value }) => value.toString()));
          return seen.length <= 2 ? Promise.reject(new Error('not now')) : Promise.resolve();
        },
      });
      await until(() => seen.flat().length >= 8);
      expect(seen).toEqual([
        ['k0', 'k1'],
        ['k0', 'k1'],
        ['k0', 'k1'],
        ['k2', 'k3'],
      ]);
    });

    it('commit nothing of a batch that was not accepted', async () => {
      await log.append(numbered(2));
      let tries = 0;
      const subscription = await log.subscribe({
        group: 'g',
        topics: [topic],
        onBatch: () => {
          tries += 1;
          return Promise.reject(new Error('never'));
        },
      });
      await until(() => tries > 0);
      await subscription.close();
      log = await harness.reopen();
      const inbox = new Inbox();
      await log.subscribe({ group: 'g', topics: [topic], onBatch: inbox.take });
      expect(await inbox.waitFor(2)).toEqual(['k0', 'k1']);
    });

    it('read independently of each other', async () => {
      await log.append(numbered(3));
      const quick = new Inbox();
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const slow = new Inbox();
      await log.subscribe({ group: 'slow', topics: [topic], onBatch: (batch) => held.then(() => slow.take(batch)) });
      await log.subscribe({ group: 'quick', topics: [topic], onBatch: quick.take });
      expect(await quick.waitFor(3)).toEqual(['k0', 'k1', 'k2']);
      expect(slow.records).toEqual([]);
      release();
      expect(await slow.waitFor(3)).toEqual(['k0', 'k1', 'k2']);
    });

    it('get one batch at a time per topic, within their limits', async () => {
      await log.append(numbered(25));
      let running = 0;
      let most = 0;
      const inbox = new Inbox();
      await log.subscribe({
        group: 'g',
        topics: [topic],
        maxRecords: 10,
        onBatch: async (batch) => {
          most = Math.max(most, (running += 1));
          await new Promise((resolve) => setTimeout(resolve, 5));
          await batch.heartbeat();
          running -= 1;
          await inbox.take(batch);
        },
      });
      await inbox.waitFor(25);
      expect(most).toBe(1);
      expect(Math.max(...inbox.batches.map(({ records }) => records.length))).toBeLessThanOrEqual(10);
    });

    it('get batches limited by bytes', async () => {
      const large = { ...text('k', ''), value: Buffer.alloc(90_000) };
      await log.append(Array.from({ length: 60 }, () => large));
      const sizes: number[] = [];
      await log.subscribe({
        group: 'g',
        topics: [topic],
        onBatch: ({ records }) => {
          sizes.push(records.reduce((sum, record) => sum + record.value.length, 0));
          return Promise.resolve();
        },
      });
      await until(() => sizes.reduce((sum, size) => sum + size, 0) >= 60 * 90_000);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_BATCH_BYTES);
    });

    it('have positions that show their lag', async () => {
      const lagOf = async (group: string) => {
        const positions = await log.positions(group, [topic]);
        for (const { committed, end, lag } of positions) expect(lag).toBe(end - committed);
        return positions.reduce((sum, { lag }) => sum + lag, 0);
      };
      expect(await lagOf('g')).toBe(0);
      await log.append(Array.from({ length: 30 }, (_, i) => text(`key ${i}`, String(i))));
      expect(await lagOf('g')).toBe(30);
      const inbox = new Inbox();
      const subscription = await log.subscribe({ group: 'g', topics: [topic], onBatch: inbox.take });
      await inbox.waitFor(30);
      await subscription.close();
      expect(await lagOf('g')).toBe(0);
      await log.append([text('k', 'one more')]);
      expect(await lagOf('g')).toBe(1);
      expect(await lagOf('another')).toBe(31);
    });
  });

  describe('caughtUp', () => {
    it('resolves only when all records that existed are handled', async () => {
      await log.append(numbered(5));
      const inbox = new Inbox();
      const subscription = await log.subscribe({
        group: 'g',
        topics: [topic],
        maxRecords: 1,
        onBatch: async (batch) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          await inbox.take(batch);
        },
      });
      expect(await subscription.caughtUp(WAIT_MS)).toBe(true);
      expect(inbox.values).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
      expect(await subscription.caughtUp(WAIT_MS, [topic])).toBe(true);
    });

    it('waits for an append that has resolved', async () => {
      const inbox = new Inbox();
      const follower = await log.follow({ topics: [topic], onBatch: inbox.take });
      for (let i = 0; i < 20; i += 1) {
        await log.append([text('k', String(i))]);
        expect(await follower.caughtUp(WAIT_MS)).toBe(true);
        expect(inbox.values.at(-1)).toBe(String(i));
      }
    });

    it('is false when the time is over, and when the subscription ends', async () => {
      await log.append(numbered(1));
      const subscription = await log.subscribe({
        group: 'g',
        topics: [topic],
        onBatch: () => Promise.reject(new Error('never')),
      });
      expect(await subscription.caughtUp(5)).toBe(false);
      const waiting = subscription.caughtUp(WAIT_MS);
      await subscription.close();
      expect(await waiting).toBe(false);
    });
  });

  describe('close', () => {
    it('waits for the batch in progress, and marks it as stopping', async () => {
      await log.append(numbered(1));
      const events: string[] = [];
      let batchInHand: RecordBatch | undefined;
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      const subscription = await log.subscribe({
        group: 'g',
        topics: [topic],
        onBatch: async (batch) => {
          batchInHand = batch;
          await held;
          events.push('handled');
        },
      });
      await until(() => batchInHand !== undefined);
      expect(batchInHand!.stopping).toBe(false);
      const closing = subscription.close().then(() => events.push('closed'));
      await until(() => batchInHand!.stopping);
      await turn();
      expect(events).toEqual([]);
      release();
      await closing;
      expect(events).toEqual(['handled', 'closed']);
    });

    it('refuses readers that come while it waits for batches in progress: nobody would end them', async () => {
      let finish = () => {};
      let begun = false;
      const slow = () => {
        begun = true;
        return new Promise<void>((resolve) => (finish = resolve));
      };
      await log.append([text('k', 'a')]);
      await log.subscribe({ group: 'g', topics: [topic], onBatch: slow });
      await until(() => begun);
      const closing = log.close();
      const late = new Inbox();
      const asked = await Promise.allSettled([
        log.subscribe({ group: 'h', topics: [topic], onBatch: late.take }),
        log.follow({ topics: [topic], onBatch: late.take }),
      ]);
      finish();
      await closing;
      const refused = { status: 'rejected', reason: { code: 'log_unavailable' } };
      expect(asked).toMatchObject([refused, refused]);
      expect(late.values).toEqual([]);
    });

    it('waits for appends in progress and refuses later ones', async () => {
      const appends = Promise.all(numbered(20).map((record) => log.append([record])));
      await log.close();
      await appends;
      await expect(log.append([text('k', 'late')])).rejects.toMatchObject({ code: 'log_unavailable' });
      await expect(log.check()).rejects.toMatchObject({ code: 'log_unavailable' });
      log = await harness.reopen();
      await log.check();
      const inbox = new Inbox();
      await log.follow({ topics: [topic], onBatch: inbox.take });
      expect(await inbox.waitFor(20)).toHaveLength(20);
    });
  });
}
