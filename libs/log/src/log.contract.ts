import { RecordTooLarge, type EventLog, type LogRecord, type NewRecord, type RecordBatch } from './log.port';

/** A log under test. */
export interface LogHarness {
  log: EventLog;
  /** Largest record (key and value, in bytes) that it takes. */
  limit: number;
  /** Name of a topic that exists and is empty. */
  topic(): Promise<string>;
  /** The same log after an orderly end and a new start; closes the one before. */
  reopen(): Promise<EventLog>;
  close(): Promise<void>;
}

export function textRecord(topic: string, key: string, value: string): NewRecord {
  return { topic, key, value: Buffer.from(value), headers: { kind: 'text' } };
}

/** Resolves when the condition holds; looks again whenever the event loop turns. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Collects what a reader is handed. */
export class Inbox {
  readonly batches: RecordBatch[] = [];

  get records(): LogRecord[] {
    return this.batches.flatMap(({ records }) => records);
  }

  get values(): string[] {
    return this.records.map(({ value }) => value.toString());
  }

  readonly take = (batch: RecordBatch): Promise<void> => {
    this.batches.push(batch);
    return Promise.resolve();
  };

  async holds(count: number): Promise<string[]> {
    await until(() => this.records.length >= count);
    return this.values;
  }
}

const WAIT_MS = 20_000;

/** What every event log keeps to. */
export function describeEventLog(name: string, make: () => Promise<LogHarness>): void {
  describe(`event log: ${name}`, () => {
    let harness: LogHarness;
    let log: EventLog;
    let topic: string;
    const text = (key: string, value: string) => textRecord(topic, key, value);
    const numbered = (count: number, key = 'k') => Array.from({ length: count }, (_, i) => text(key, `${key}${i}`));

    beforeEach(async () => {
      harness = await make();
      log = harness.log;
      topic = await harness.topic();
    });
    afterEach(() => harness.close());

    describe('append', () => {
      it('refuses a record over the limit, and with it the whole batch', async () => {
        const large = { ...text('k', ''), value: Buffer.alloc(harness.limit + 1) };
        const refusal = log.append([text('k', 'small'), large]);
        await expect(refusal).rejects.toMatchObject({ code: 'record_too_large', retryable: false });
        await expect(refusal).rejects.toBeInstanceOf(RecordTooLarge);
        await log.append([text('k', 'after')]);
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        expect(await inbox.holds(1)).toEqual(['after']);
      });

      it('takes a record of exactly the limit', async () => {
        const value = Buffer.alloc(harness.limit - 1, 7);
        await log.append([{ ...text('k', ''), value }]);
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        await inbox.holds(1);
        expect(inbox.records[0]!.value.equals(value)).toBe(true);
      });

      it('gives key, value, headers and time back', async () => {
        const before = Date.now();
        const headers = { ce_id: '1', empty: '', greek: 'Ωμέγα', ['__proto__']: 'data' };
        await log.append([{ topic, key: 'ключ', value: Buffer.from([0, 255, 10]), headers }]);
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        await inbox.holds(1);
        const [record] = inbox.records;
        expect(record).toMatchObject({ topic, key: 'ключ', position: 0 });
        expect([...record!.value]).toEqual([0, 255, 10]);
        expect(Object.entries(record!.headers).sort()).toEqual(Object.entries(headers).sort());
        expect(record!.appendedAt).toBeGreaterThanOrEqual(before);
        expect(record!.appendedAt).toBeLessThanOrEqual(Date.now());
      });

      it('writes to several topics at once, and nothing for nothing', async () => {
        const other = await harness.topic();
        await log.append([]);
        await log.append([text('k', 'here'), { ...text('k', 'there'), topic: other }]);
        const inbox = new Inbox();
        await log.follow({ topics: [topic, other], onBatch: inbox.take });
        expect((await inbox.holds(2)).sort()).toEqual(['here', 'there']);
        expect(inbox.batches.map((batch) => batch.topic).sort()).toEqual([topic, other].sort());
      });

      it('keeps the order of a key, and a key in one partition', async () => {
        const keys = ['a', 'b', 'c', 'd', 'e'];
        for (let round = 0; round < 20; round += 1) {
          void log.append(keys.map((key) => text(key, `${key}${round}`)));
        }
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        await inbox.holds(100);
        for (const key of keys) {
          const mine = inbox.records.filter((record) => record.key === key);
          expect(mine.map(({ value }) => value.toString())).toEqual(Array.from({ length: 20 }, (_, i) => `${key}${i}`));
          expect(new Set(mine.map(({ partition }) => partition)).size).toBe(1);
        }
      });

      it('counts positions from 0 in each partition, without gaps', async () => {
        await log.append(Array.from({ length: 50 }, (_, i) => text(`key ${i}`, String(i))));
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        await inbox.holds(50);
        const count = await log.partitions(topic);
        for (let partition = 0; partition < count; partition += 1) {
          const positions = inbox.records.filter((r) => r.partition === partition).map(({ position }) => position);
          expect(positions).toEqual(positions.map((_, i) => i));
        }
      });
    });

    describe('groups', () => {
      it('starts at the first record and goes on where it stopped', async () => {
        await log.append(numbered(3, 'a'));
        const first = new Inbox();
        const subscription = await log.subscribe({ group: 'g', topics: [topic], onBatch: first.take });
        expect(await first.holds(3)).toEqual(['a0', 'a1', 'a2']);
        await subscription.close();
        await log.append(numbered(2, 'b'));
        const second = new Inbox();
        await log.subscribe({ group: 'g', topics: [topic], onBatch: second.take });
        expect(await second.holds(2)).toEqual(['b0', 'b1']);
      });

      it('keeps positions over a new start', async () => {
        await log.append(numbered(3, 'a'));
        const first = new Inbox();
        await log.subscribe({ group: 'g', topics: [topic], onBatch: first.take });
        await first.holds(3);
        log = await harness.reopen();
        await log.append(numbered(1, 'b'));
        const second = new Inbox();
        await log.subscribe({ group: 'g', topics: [topic], onBatch: second.take });
        expect(await second.holds(1)).toEqual(['b0']);
      });

      it('hands the same records over again when the handler rejects', async () => {
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

      it('commits nothing of a batch that was not accepted', async () => {
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
        expect(await inbox.holds(2)).toEqual(['k0', 'k1']);
      });

      it('lets two groups read independently', async () => {
        await log.append(numbered(3));
        const quick = new Inbox();
        let release = () => {};
        const held = new Promise<void>((resolve) => (release = resolve));
        const slow = new Inbox();
        await log.subscribe({ group: 'slow', topics: [topic], onBatch: (batch) => held.then(() => slow.take(batch)) });
        await log.subscribe({ group: 'quick', topics: [topic], onBatch: quick.take });
        expect(await quick.holds(3)).toEqual(['k0', 'k1', 'k2']);
        expect(slow.records).toEqual([]);
        release();
        expect(await slow.holds(3)).toEqual(['k0', 'k1', 'k2']);
      });

      it('hands out one batch at a time per topic, within its bounds', async () => {
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
        await inbox.holds(25);
        expect(most).toBe(1);
        expect(Math.max(...inbox.batches.map(({ records }) => records.length))).toBeLessThanOrEqual(10);
      });

      it('bounds a batch by bytes, and hands a larger record out alone', async () => {
        const value = (size: number) => ({ ...text('k', ''), value: Buffer.alloc(size) });
        await log.append([value(400), value(400), value(400), value(5000), value(400)]);
        const sizes: number[][] = [];
        await log.subscribe({
          group: 'g',
          topics: [topic],
          maxBytes: 1000,
          onBatch: ({ records }) => {
            sizes.push(records.map((record) => record.value.length));
            return Promise.resolve();
          },
        });
        await until(() => sizes.flat().length >= 5);
        expect(sizes.flat()).toEqual([400, 400, 400, 5000, 400]);
        for (const batch of sizes) {
          expect(batch.length === 1 || batch.reduce((sum, size) => sum + size, 0) <= 1000).toBe(true);
        }
      });

      it('tells how far a group is', async () => {
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
        await inbox.holds(30);
        await subscription.close();
        expect(await lagOf('g')).toBe(0);
        await log.append([text('k', 'one more')]);
        expect(await lagOf('g')).toBe(1);
        expect(await lagOf('another')).toBe(31);
      });
    });

    describe('close', () => {
      it('waits for the batch in hand, and tells it that the end is near', async () => {
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
        release();
        await closing;
        expect(events).toEqual(['handled', 'closed']);
      });

      it('waits for appends in hand and refuses those that come after', async () => {
        const appends = Promise.all(numbered(20).map((record) => log.append([record])));
        await log.close();
        await appends;
        await expect(log.append([text('k', 'late')])).rejects.toMatchObject({ code: 'log_unavailable' });
        await expect(log.check()).rejects.toMatchObject({ code: 'log_unavailable' });
        log = await harness.reopen();
        await log.check();
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        expect(await inbox.holds(20)).toHaveLength(20);
      });
    });

    describe('follow', () => {
      it('gives all from the beginning, then what is added, to every follower', async () => {
        await log.append(numbered(2, 'a'));
        const one = new Inbox();
        const two = new Inbox();
        await log.follow({ topics: [topic], onBatch: one.take });
        await one.holds(2);
        await log.append(numbered(2, 'b'));
        await log.follow({ topics: [topic], onBatch: two.take });
        expect(await one.holds(4)).toEqual(['a0', 'a1', 'b0', 'b1']);
        expect(await two.holds(4)).toEqual(['a0', 'a1', 'b0', 'b1']);
      });
    });

    describe('caughtUp', () => {
      it('resolves when all that was there is handled, and not before', async () => {
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

      it('sees an append that has resolved', async () => {
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

    describe('read', () => {
      it('gives a part of a partition', async () => {
        await log.append(numbered(10));
        const inbox = new Inbox();
        await log.follow({ topics: [topic], onBatch: inbox.take });
        await inbox.holds(10);
        const { partition } = inbox.records[0]!;
        const records = await log.read(topic, partition, 3, 4);
        expect(records.map(({ position, value }) => [position, value.toString()])).toEqual([
          [3, 'k3'],
          [4, 'k4'],
          [5, 'k5'],
          [6, 'k6'],
        ]);
        expect(await log.read(topic, partition, 8, 10)).toHaveLength(2);
        expect(await log.read(topic, partition, 10, 10)).toEqual([]);
        const empty = (partition + 1) % (await log.partitions(topic));
        if (empty !== partition) expect(await log.read(topic, empty, 0, 10)).toEqual([]);
      });
    });
  });
}
