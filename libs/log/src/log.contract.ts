import { RecordTooLarge, type EventLog } from './log.port';
import { groupsContract, type LogHarness } from './log.groups.contract';
import { Inbox, textRecord } from './testing/inbox';

/** The contract of every event log. `make` creates a log for one test. */
export function eventLogContract(make: () => Promise<LogHarness>): void {
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
      expect(await inbox.waitFor(1)).toEqual(['after']);
    });

    it('takes a record of exactly the limit', async () => {
      const value = Buffer.alloc(harness.limit - 1, 7);
      await log.append([{ ...text('k', ''), value }]);
      const inbox = new Inbox();
      await log.follow({ topics: [topic], onBatch: inbox.take });
      await inbox.waitFor(1);
      expect(inbox.records[0]!.value.equals(value)).toBe(true);
    });

    it('keeps key, value, headers and time of a record', async () => {
      const before = Date.now();
      const headers = { ce_id: '1', empty: '', greek: 'Ωμέγα', ['__proto__']: 'data' };
      await log.append([{ topic, key: 'ключ', value: Buffer.from([0, 255, 10]), headers }]);
      const inbox = new Inbox();
      await log.follow({ topics: [topic], onBatch: inbox.take });
      await inbox.waitFor(1);
      const [record] = inbox.records;
      expect(record).toMatchObject({ topic, key: 'ключ', position: 0 });
      expect([...record!.value]).toEqual([0, 255, 10]);
      expect(Object.entries(record!.headers).sort()).toEqual(Object.entries(headers).sort());
      expect(record!.appendedAt).toBeGreaterThanOrEqual(before);
      expect(record!.appendedAt).toBeLessThanOrEqual(Date.now());
    });

    it('writes to several topics at once, and nothing for an empty append', async () => {
      const other = await harness.topic();
      await log.append([]);
      await log.append([text('k', 'here'), { ...text('k', 'there'), topic: other }]);
      const inbox = new Inbox();
      await log.follow({ topics: [topic, other], onBatch: inbox.take });
      expect((await inbox.waitFor(2)).sort()).toEqual(['here', 'there']);
      expect(inbox.batches.map((batch) => batch.topic).sort()).toEqual([topic, other].sort());
    });

    it('keeps the records of a key in order and in one partition', async () => {
      const keys = ['a', 'b', 'c', 'd', 'e'];
      for (let round = 0; round < 20; round += 1) {
        void log.append(keys.map((key) => text(key, `${key}${round}`)));
      }
      const inbox = new Inbox();
      await log.follow({ topics: [topic], onBatch: inbox.take });
      await inbox.waitFor(100);
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
      await inbox.waitFor(50);
      const count = await log.partitions(topic);
      for (let partition = 0; partition < count; partition += 1) {
        const positions = inbox.records.filter((r) => r.partition === partition).map(({ position }) => position);
        expect(positions).toEqual(positions.map((_, i) => i));
      }
    });
  });

  describe('follow', () => {
    it('hands every follower all records from the beginning, then new ones', async () => {
      await log.append(numbered(2, 'a'));
      const one = new Inbox();
      const two = new Inbox();
      await log.follow({ topics: [topic], onBatch: one.take });
      await one.waitFor(2);
      await log.append(numbered(2, 'b'));
      await log.follow({ topics: [topic], onBatch: two.take });
      expect(await one.waitFor(4)).toEqual(['a0', 'a1', 'b0', 'b1']);
      expect(await two.waitFor(4)).toEqual(['a0', 'a1', 'b0', 'b1']);
    });
  });

  describe('read', () => {
    it('returns a range of a partition', async () => {
      await log.append(numbered(10));
      const inbox = new Inbox();
      await log.follow({ topics: [topic], onBatch: inbox.take });
      await inbox.waitFor(10);
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

  groupsContract(() => ({ harness, topic }));
}
