import fc from 'fast-check';
import { packRequests, wireBytes, type Append } from './produce.pack';

const LIMITS = { batchBytes: 1_000, requestBytes: 2_500 };

const appendsOf = (sizes: { partition: number; bytes: number }[][]): Append[] => {
  let count = 0;
  return sizes.map((some) => ({
    bytes: 0,
    records: some.map(({ partition, bytes }) => {
      const record = { topic: 't', key: 'k', value: String((count += 1)), headers: {} };
      return { record, partition, bytes };
    }),
  }));
};

describe('produce requests', () => {
  const record = fc.record({ partition: fc.integer({ min: 0, max: 3 }), bytes: fc.integer({ min: 50, max: 1_200 }) });
  const appends = fc.array(fc.array(record, { minLength: 1, maxLength: 6 }), { maxLength: 12 }).map(appendsOf);

  it('hold every record once, in order', () => {
    fc.assert(
      fc.property(appends, (all) => {
        const sent = packRequests(all, LIMITS).flatMap(({ records }) => records);
        expect(sent).toEqual(all.flatMap(({ records }) => records));
      }),
    );
  });

  it('keep to the limits, except for a single record', () => {
    fc.assert(
      fc.property(appends, (all) => {
        for (const { records } of packRequests(all, LIMITS)) {
          if (records.length === 1) continue;
          expect(records.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(LIMITS.requestBytes);
          for (const partition of new Set(records.map((one) => one.partition))) {
            const mine = records.filter((one) => one.partition === partition);
            if (mine.length === 1) continue;
            expect(mine.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(LIMITS.batchBytes);
          }
        }
      }),
    );
  });

  it.each([
    ['a partition', 1, 2],
    ['a request', 10, 8],
  ])('are as few as the bytes of %s allow', (_, partitions, each) => {
    const one = (n: number) => ({ partition: n % partitions, bytes: 300 });
    const appends = appendsOf([Array.from({ length: 3 * each }, (_one, n) => one(n))]);
    expect(packRequests(appends, LIMITS).map(({ records }) => records.length)).toEqual([each, each, each]);
  });

  it('tell which appends they complete', () => {
    fc.assert(
      fc.property(appends, (all) => {
        const seen = new Set<unknown>();
        for (const { records, completes } of packRequests(all, LIMITS)) {
          for (const placed of records) seen.add(placed);
          const whole = all.findIndex((append) => append.records.some((placed) => !seen.has(placed)));
          expect(completes).toBe(whole === -1 ? all.length : whole);
        }
      }),
    );
  });

  it('never underestimate the bytes of a record', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.dictionary(fc.string(), fc.string()), (key, value, headers) => {
        const texts = [key, value, ...Object.entries(headers).flat()];
        const least = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        expect(wireBytes({ topic: 't', key, value, headers })).toBeGreaterThan(least);
      }),
    );
  });
});
